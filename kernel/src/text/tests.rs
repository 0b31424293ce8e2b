//! The rules of the analysis, each as a claim about a short text.

use super::*;

fn words_of(settings: &Settings, text: &str) -> Vec<String> {
    let analyzer = Analyzer::new(settings.clone()).expect("good settings");
    let mut out = Tokens::new();
    analyzer.words(text, &mut out);
    let words: Vec<_> = (0..out.len()).map(|i| String::from_utf8(out.get(i).to_vec()).expect("text")).collect();
    let placed: Vec<_> = analyzer.tokens(text).into_iter().map(|token| token.text).collect();
    assert_eq!(words, placed, "words and tokens of {text:?}");
    words
}

fn python() -> Settings {
    let split = Treatment::Split;
    Settings {
        words: Some(Words::Python),
        urls: split,
        handles: split,
        emails: split,
        tags: split,
        ..Settings::default()
    }
}

#[track_caller]
fn check(settings: &Settings, text: &str, expected: &str) {
    assert_eq!(words_of(settings, text).join(" "), expected, "{text:?}");
}

#[test]
fn words_hold_inner_apostrophes_and_hyphens() {
    let settings = Settings::default();
    check(&settings, "Don't DON’T rock-'n'-roll", "don't don't rock n roll");
    check(&settings, "well-known mother-in-law's -x- 'quoted'", "well-known mother-in-law's x quoted");
    check(&settings, "a--b a-b2 don't2 l'été co\u{2011}op", "a b a b2 don t2 l'été co-op");
    check(&settings, "cafe\u{301} na\u{ef}ve co\u{ad}operate", "cafe\u{301} naïve cooperate");
    check(&settings, "snake_case _x_ __", "snake_case _x_ __");
}

#[test]
fn numbers_hold_inner_points_commas_and_colons() {
    let settings = Settings::default();
    check(&settings, "3.14 1,000,000 12:30. 2,", "3.14 1,000,000 12:30 2");
    check(&settings, "3.5kg 10th 4x4 1.a a.1", "3 5kg 10th 4x4 1 a a 1");
    check(&settings, "٣٫١٤ ٣.١٤ x² ½", "٣ ١٤ ٣.١٤ x² ½");
}

#[test]
fn expressive_punctuation_is_kept_and_shortened() {
    let settings = Settings::default();
    check(&settings, "a! b!! c!!!!! d? e??? f?!? g!?", "a ! b !! c !! d ? e ?? f ?? g !!");
    check(&settings, "a. b.. c... d… e.… 好！！", "a b .. c .. d .. e .. 好 !!");
    check(&settings, "$5 £6 50% a&b (c) \"d\" e, f; 1+1", "$ 5 £ 6 50 % a b c d e f 1 1");
}

#[test]
fn punctuation_can_be_all_or_none() {
    let all = Settings { punctuation: Punctuation::All, ..Settings::default() };
    check(&all, "a, (b) \\ «c» -- .. . +", "a , ( b ) \\ « c » - - .. . +");
    let none = Settings { punctuation: Punctuation::None, ..Settings::default() };
    check(&none, "a! b? c.. $5 50% :)", "a b c 5 50 :)");
    check(&none, "Name: ____ #Joy _so_ snake_case _ #_ __é__", "name joy so snake_case é");
    check(&Settings::default(), "____ #Joy _so_", "____ #joy _so_");
}

#[test]
fn addresses_handles_and_tags_are_treated_as_the_settings_say() {
    let text = "See http://a.b/C?d=e. Mail Me.Too@Ex.org, @You <br />now #Win";
    let with = |treatment| Settings {
        urls: treatment,
        handles: treatment,
        emails: treatment,
        tags: treatment,
        ..Settings::default()
    };
    check(&Settings::default(), text, "see <url> mail me.too@ex.org <user> now #win");
    check(&with(Treatment::Keep), text, "see http://a.b/c?d=e mail me.too@ex.org @you <br /> now #win");
    check(&with(Treatment::Remove), text, "see mail now #win");
    check(&with(Treatment::Replace), text, "see <url> mail <email> <user> <tag> now #win");
    check(&with(Treatment::Split), text, "see http a b c ? d e mail me too ex org you br now #win");
}

#[test]
fn the_python_rule_can_treat_addresses_too() {
    let settings = Settings { urls: Treatment::Replace, tags: Treatment::Remove, ..python() };
    check(&settings, "A http://x.y/z, b@c.d<br/>e @f", "a <url> b c d e f");
    let settings = Settings { emails: Treatment::Keep, handles: Treatment::Replace, ..python() };
    check(&settings, "mail x.y@Z.org or @me. a@b", "mail x.y@z.org or <user> a b");
}

#[test]
fn an_apostrophe_after_a_handle_or_an_address_leaves_no_stray_letter() {
    let settings = Settings::default();
    check(&settings, "@Bob's dog, @ann’s cat, @kim'll see", "<user> dog <user> cat <user> see");
    check(&settings, "me@x.org's mail @bob 's '@bob' @bob'", "me@x.org mail <user> s <user> <user>");
    check(&Settings { handles: Treatment::Keep, ..Settings::default() }, "@Bob's", "@bob");
    check(&Settings { handles: Treatment::Remove, ..python() }, "@bob's dog's", "dog s");
}

#[test]
fn signs_that_are_no_tag_are_no_tag() {
    let settings = Settings::default();
    check(&settings, "a < b <a@b.c> x<y, z>w", "a b a@b.c x y z w");
    check(&settings, "good<br />bad<!-- no -->!", "good bad !");
    check(&settings, "it&#39;s #1 a#b", "it 39 s #1 a #b");
}

#[test]
fn emoticons_and_emoji_are_tokens_of_their_own() {
    let settings = Settings::default();
    check(&settings, "ok :) :-D;) <3 XD (page 8) at 8:30 ^_^", "ok :) :-d ;) <3 xd page 8 at 8:30 ^_^");
    check(&settings, "wow😂😂👩‍👩‍👧 I ❤️ u 1️⃣ 🇫🇷", "wow 😂 😂 👩‍👩‍👧 i ❤️ u 1️⃣ 🇫🇷");
    check(&settings, "note: (see) :Dear c:\\dir", "note see dear c dir");
    let without = Settings { emoticons: false, ..Settings::default() };
    check(&without, "ok :D 😂 yes", "ok yes");
}

#[test]
fn scripts_without_spaces_are_cut_where_the_script_changes() {
    let settings = Settings::default();
    check(&settings, "我爱北京", "我 爱 北 京");
    check(&settings, "コーヒーを飲むABC語", "コーヒー を 飲 む abc 語");
    check(&settings, "สวัสดีครับ 안녕하세요 नमस्ते", "สวัสดีครับ 안녕하세요 नमस्ते");
    check(&settings, "Ελλάς ΟΔΟΣ ПРИВЕТ İstanbul", "ελλάς οδος привет i\u{307}stanbul");
}

#[test]
fn control_characters_separate() {
    check(&Settings::default(), "a\0b\u{7f}c\u{200b}d\u{85}e", "a b c d e");
    check(&Settings::default(), "", "");
}

#[test]
fn case_can_be_kept() {
    let settings = Settings { lowercase: false, urls: Treatment::Keep, ..Settings::default() };
    check(&settings, "Don’t SHOUT WWW.X.Y :D É", "Don't SHOUT WWW.X.Y :D É");
}

#[test]
fn negation_reaches_to_the_next_punctuation() {
    let settings = Settings { negation: true, ..Settings::default() };
    check(&settings, "I did not like it. Fine", "i did not not_like not_it fine");
    check(&settings, "Don’t go 2 far, ok", "don't not_go 2 not_far ok");
    check(&settings, "never say never :) again! no", "never not_say not_never :) not_again ! no");
    check(&settings, "without (a) hardly “b” c", "without a hardly b c");
    let settings = Settings { negation: true, ..python() };
    check(&settings, "I don't like, it isn’t it", "i don t not_like it isn t not_it");
}

#[test]
fn negation_goes_around_stop_words_and_stems() {
    let settings = Settings {
        negation: true,
        stop_words: vec!["not".into(), "The".into()],
        stemmer: Some("english".into()),
        ..Settings::default()
    };
    check(&settings, "Not the winning teams; connections", "not_win not_team connect");
}

#[test]
fn stop_words_are_compared_before_stemming() {
    let settings = Settings {
        stop_words: vec!["DOGS".into(), "isn’t".into(), "!".into()],
        stemmer: Some("english".into()),
        ..Settings::default()
    };
    check(&settings, "Dogs dog isn't! it", "dog it");
}

#[test]
fn short_words_are_dropped_and_short_signs_kept() {
    let settings = Settings { min_length: 3, ..Settings::default() };
    check(&settings, "I am the été @a ! :) 12 123", "the été <user> ! :) 123");
}

#[test]
fn only_keywords_pass() {
    let settings = Settings {
        keywords: Some(vec!["Winning".into(), ":)".into(), "<url>".into(), "not_good".into()]),
        stemmer: Some("english".into()),
        negation: true,
        ..Settings::default()
    };
    check(&settings, "He wins! win :) www.x.y good, not good", "win win :) <url> not_good");
}

#[test]
fn a_keyword_of_two_words_is_refused_by_name() {
    let settings = Settings { keywords: Some(vec!["ice cream".into()]), ..Settings::default() };
    let error = Analyzer::new(settings).err().expect("two tokens").to_string();
    assert!(error.contains("\"ice cream\" makes 2 tokens"), "{error}");
    let settings = Settings { words: None, keywords: Some(vec!["a".into()]), ..Settings::default() };
    assert!(Analyzer::new(settings).is_err());
}

#[test]
fn ranges_are_checked() {
    for (ngrams, characters) in [((0, 1), None), ((2, 1), None), ((1, 1), Some((3, 2)))] {
        let settings = Settings { ngrams, characters, ..Settings::default() };
        let error = Analyzer::new(settings).err().expect("a bad range").to_string();
        assert!(error.contains("(shortest, longest)"), "{error}");
    }
}

#[test]
fn the_python_rule_is_a_run_of_alphanumerics_and_underscores() {
    check(&python(), "Don't STOP_2, x²½ é!", "don t stop_2 x²½ é");
    // A combining accent is no \w, so İ is cut where it becomes i and a dot.
    check(&python(), "İstanbul cafe\u{301}s", "i stanbul cafe s");
    check(&python(), "ΑΣ ΑΣ.Β Σ", "ας ασ β σ");
}

#[test]
fn places_are_code_points_of_the_text() {
    let places = |settings: &Settings, text: &str| -> Vec<(String, usize, usize)> {
        let analyzer = Analyzer::new(settings.clone()).expect("good settings");
        analyzer.tokens(text).into_iter().map(|t| (t.text, t.start, t.end)).collect()
    };
    let tokens = places(&Settings::default(), "É😀 don’t!!! www.ü.de");
    let expected = [("é", 0, 1), ("😀", 1, 2), ("don't", 3, 8), ("!!", 8, 11), ("<url>", 12, 20)];
    assert_eq!(tokens, expected.map(|(text, start, end)| (text.to_owned(), start, end)));
    let tokens = places(&python(), "é İst b");
    let expected = [("é", 0, 1), ("i", 2, 3), ("st", 3, 5), ("b", 6, 7)];
    assert_eq!(tokens, expected.map(|(text, start, end)| (text.to_owned(), start, end)));
}

#[test]
fn features_are_ngrams_then_characters() {
    let settings = Settings { ngrams: (2, 3), characters: Some((4, 4)), ..Settings::default() };
    let features = Analyzer::new(settings).expect("good settings").features("Ice ice, baby");
    let tokens: Vec<_> = features.iter().map(|f| (f.text.as_str(), f.start, f.end)).collect();
    let expected = [
        ("ice ice", 0, 7),
        ("ice baby", 4, 13),
        ("ice ice baby", 0, 13),
        (" ice", 0, 3),
        ("ice ", 0, 3),
        (" ice", 4, 7),
        ("ice,", 4, 8),
        ("ce, ", 5, 8),
        (" bab", 9, 12),
        ("baby", 9, 13),
        ("aby ", 10, 13),
    ];
    assert_eq!(tokens, expected);
}

#[test]
fn without_words_there_are_only_characters() {
    let settings = Settings { words: None, characters: Some((2, 2)), ..Settings::default() };
    assert!(words_of(&settings, "a b").is_empty());
    assert_eq!(Analyzer::new(settings).expect("good settings").features("a b").len(), 4);
}

#[test]
fn words_and_tokens_agree_on_any_text() {
    let pieces = "a B é É ß İ Σ σ ’ ' - . , : ; ) ( ! ? … $ € % @ # < > / _ 1 2 ٣ ² 字 か ー ไ \u{301} \u{ad} \u{200d} \u{fe0f} 😀 🇩 \
                  http:// www. n't not No never :-D XD x 8 <3 <br> <!-- --> a@b.c &# \u{3000} \n \0 \u{1f} t don";
    let pieces: Vec<_> = pieces.split(' ').chain([" "; 12]).collect();
    let unicode = Settings::default();
    let all = Settings { punctuation: Punctuation::All, negation: true, min_length: 2, ..Settings::default() };
    let stemmed = Settings { stemmer: Some("english".into()), stop_words: vec!["a".into()], ..Settings::default() };
    let cased = Settings { lowercase: false, tags: Treatment::Keep, urls: Treatment::Split, ..Settings::default() };
    let mixed = Settings { emails: Treatment::Replace, negation: true, ..python() };
    let pairs = Settings { min_length: 2, ..python() };
    let all = [unicode, all, stemmed, cased, mixed, pairs, python()];
    let analyzers = all.map(|settings| Analyzer::new(settings).expect("good settings"));
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut out = Tokens::new();
    for _ in 0..2_000 {
        let text: String = (0..random(40)).map(|_| pieces[random(pieces.len())]).collect();
        let length = text.chars().count();
        for analyzer in &analyzers {
            // The tokens of a text do not depend on those before it.
            let before = out.len();
            analyzer.words(&text, &mut out);
            let words: Vec<_> = (before..out.len()).map(|i| out.get(i)).collect();
            let tokens = analyzer.tokens(&text);
            let texts: Vec<_> = tokens.iter().map(|token| token.text.as_bytes()).collect();
            assert_eq!(words, texts, "{text:?} {:?}", analyzer.settings());
            assert!(tokens.iter().all(|token| token.start < token.end && token.end <= length), "{text:?}");
            assert!(tokens.is_sorted_by_key(|token| (token.start, token.end)), "{text:?}");
        }
    }
}

#[test]
fn an_analyzer_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Analyzer>();
}

#[test]
fn every_text_takes_linear_time() {
    // Quadratic time would be minutes for each of these.
    let settings = Settings {
        negation: true,
        punctuation: Punctuation::All,
        stemmer: Some("english".into()),
        ..Settings::default()
    };
    let analyzer = Analyzer::new(settings).expect("good settings");
    let python = Settings { words: Some(Words::Python), ..Settings::default() };
    let python = Analyzer::new(python).expect("good settings");
    let mut out = Tokens::new();
    let units = "a ya a. a- a' a-b2 1. 1: 1.a @ a@ a@b- @a < <a <!-- <!--< ( ) :( :) :((a ^_ -_ >. 8- xD ! ?a . … http:// \
                 www. http://. # #a é é’ Σ Σ. 字 か ー \u{301} 😀 😀\u{200d} 🇩 1\u{fe0f} \0 _ &# İ n't";
    for unit in units.split(' ').chain([" ", "<a ", "n't ", "Σ "]) {
        let text = unit.repeat(100_000 / unit.len());
        for analyzer in [&analyzer, &python] {
            out.clear();
            analyzer.words(&text, &mut out);
        }
    }
}

#[test]
fn plain_words_found_by_a_plan_are_those_found_piece_by_piece() {
    const PIECES: &[&str] = &[
        "a",
        "word",
        "Another",
        "UPPER",
        "twenty-three",
        "don't",
        "x",
        "xD",
        "x-ray",
        "http://a.b/c",
        "https",
        "httpd",
        "www.a.de",
        "wwwx",
        "h",
        "ww",
        "me@home.org",
        "a.b",
        "3.14",
        "1st",
        "snake_case",
        "_",
        "naïve",
        "été",
        "l'été",
        "Éric",
        "ß",
        "÷",
        "ñ_",
        "ž1",
        "ü@x.de",
        "e\u{301}a",
        "\u{301}",
        "привет",
        "Ёж",
        "λόγος",
        "مرحبا",
        "Σ",
        "日本語",
        "だ",
        "🙂",
        ":-)",
        "<b>",
        "#tag",
        "@you",
        "!",
        "?!",
        ".",
        "...",
        "-",
        "'",
        "+",
        "$5",
        "%",
        "\u{2019}s",
        "\n",
        "  ",
        "--",
        "x-x",
        "#a-b",
        "a'b@c.de",
        "\"",
        ",",
        "/",
        "&#39;",
        "-_-",
        "-.-",
        "(",
        ")",
        "[",
        "(:",
        ")-;",
        "*",
        "*\u{fe0f}\u{20e3}",
        ".\u{2026}",
        "8-",
        "{|}~`\\",
        "हिन्दी",
        "தமிழ்",
        "\u{93f}",
        "\u{301}",
        "\u{200d}",
        "\u{ad}",
        "字",
        "漢字",
        "字\u{301}",
        "字-a",
        "字-字",
        "ひらカタ",
        "々",
        "«",
        "»",
        "\u{a0}",
        "—",
        "،",
        "؟",
        "。",
        "！",
        "№",
        "ℹ\u{fe0f}",
        "ℹ",
        "©\u{fe0f}",
        "©",
        "\u{fe0f}",
        "МОСКВА",
        "ÉTÉ",
        "ŻÓŁĆ",
        "ΟΔΟΣ",
        "İ",
        "Ⱥ",
        "ẞ",
        "Ａ",
        "٣",
        "א",
        "\u{20ac}",
        "𠀀",
        "字http://a.b",
        "字xD",
        "a字@b.de",
        "a-字@b.de",
    ];
    let mut random = 1u64;
    let mut next = |n: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % n
    };
    for round in 0..20_000 {
        // Half of the pieces stand alone; long runs of letters go over the ends of blocks.
        let mut text = "b".repeat(if round % 5 == 0 { next(150) } else { 0 });
        for _ in 0..next(40) {
            text += PIECES[next(PIECES.len())];
            text += ["", " "][next(2)];
        }
        let settings = Settings {
            punctuation: [Punctuation::None, Punctuation::Expressive, Punctuation::All][next(3)],
            urls: [Treatment::Split, Treatment::Replace][next(2)],
            emails: [Treatment::Split, Treatment::Keep][next(2)],
            negation: next(4) == 0,
            emoticons: next(2) == 0,
            lowercase: next(4) > 0,
            ..Settings::default()
        };
        let analyzer = Analyzer::new(settings).unwrap();
        type Scan = fn(&str, &Settings, &mut Writer<Vec<(usize, usize)>>);
        let scan = |scan: Scan| {
            let (mut out, mut places) = (Tokens::new(), vec![]);
            scan(&text, analyzer.settings(), &mut Writer::new(&analyzer, &mut out, &mut places));
            let tokens: Vec<_> = (0..out.len()).map(|i| String::from_utf8_lossy(out.get(i)).into_owned()).collect();
            (tokens, places)
        };
        let expected = scan(unicode::scan_plainly);
        assert_eq!(scan(unicode::scan), expected, "{text:?}");
        let mut out = Tokens::new();
        analyzer.words(&text, &mut out);
        let tokens: Vec<_> = (0..out.len()).map(|i| String::from_utf8_lossy(out.get(i)).into_owned()).collect();
        assert_eq!(tokens, expected.0, "{text:?}");
    }
}

#[test]
fn tokens_that_are_given_are_words_and_nothing_takes_them_apart() {
    let given = |tokens: &[&str]| tokens.iter().flat_map(|token| ["\u{fdd0}", token]).collect::<String>();
    let text = given(&["New_York", "is", "n't", "<b>", "http://X.y", ",", "", "\u{ad}", "GREAT", ":-)", "été"]);
    for settings in [Settings::default(), Settings { punctuation: Punctuation::None, ..Settings::default() }, python()]
    {
        check(&settings, &text, "new_york is n't <b> http://x.y , great :-) été");
    }
    let negated = Settings { negation: true, stop_words: vec!["is".into()], min_length: 2, ..Settings::default() };
    check(&negated, &text, "new_york n't not_<b> not_http://x.y , great :-) été");
    let stemmed = Settings { stemmer: Some("english".into()), lowercase: false, ..Settings::default() };
    check(&stemmed, &given(&["Dogs", "dogs", "!"]), "Dog dog !");
    let kept = Settings { keywords: Some(vec!["great".into()]), ..Settings::default() };
    check(&kept, &text, "great");
}

#[test]
fn features_of_given_tokens_stand_where_tokens_with_spaces_between_them_do() {
    let settings = Settings { ngrams: (1, 2), characters: Some((3, 3)), ..Settings::default() };
    let features = Analyzer::new(settings).expect("good settings").features("\u{fdd0}é\u{fdd0}Cream");
    let tokens: Vec<_> = features.iter().map(|feature| (feature.text.as_str(), feature.start, feature.end)).collect();
    assert_eq!(
        tokens,
        [
            ("é", 0, 1),
            ("cream", 2, 7),
            ("é cream", 0, 7),
            (" é ", 0, 1),
            (" cr", 2, 4),
            ("cre", 2, 5),
            ("rea", 3, 6),
            ("eam", 4, 7),
            ("am ", 5, 7)
        ]
    );
}
