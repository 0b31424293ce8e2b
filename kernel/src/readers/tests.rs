use super::*;

const LONGEST: usize = 1 << 20;

fn texts(rows: &Rows, column: usize) -> Vec<String> {
    (0..rows.len()).map(|row| String::from_utf8(rows.get(column, row).to_vec()).expect("UTF-8")).collect()
}

fn jsonl() -> Reader {
    let names = vec!["text".to_string(), "label".to_string()];
    Reader::new(Format::Jsonl(names), vec![Use::Text, Use::Label], 1, LONGEST)
}

fn csv(quotes: bool) -> Reader {
    let dialect = Dialect { delimiter: b',', quotes };
    let format = Format::Delimited { dialect, places: vec![1, 0], n_cells: 2 };
    Reader::new(format, vec![Use::Text, Use::Label], 1, LONGEST)
}

/// The same bytes in two pieces give the same rows, wherever they are cut.
fn whole_and_cut(reader: impl Fn() -> Reader, bytes: &[u8]) -> Rows {
    let whole = reader().feed(Arc::new(bytes.to_vec()), true, 1).expect("short rows");
    let all = |rows: &[&Rows]| -> (Vec<String>, Vec<String>, Vec<u64>, Vec<Bad>) {
        let joined = |column| rows.iter().flat_map(|rows| texts(rows, column)).collect();
        let lines = rows.iter().flat_map(|rows| rows.lines.clone()).collect();
        (joined(0), joined(1), lines, rows.iter().flat_map(|rows| rows.bad.clone()).collect())
    };
    for at in 0..=bytes.len() {
        let mut reader = reader();
        let one = reader.feed(Arc::new(bytes[..at].to_vec()), false, 3).expect("short rows");
        let other = reader.feed(Arc::new(bytes[at..].to_vec()), true, 3).expect("short rows");
        assert_eq!(all(&[&one, &other]), all(&[&whole]), "cut at {at}");
    }
    whole
}

#[test]
fn json_lines_are_read_wherever_they_are_cut_and_only_newlines_end_them() {
    let text = "{\"text\":\"a\u{2028}b\",\"label\":\"x\"}\r\n\n{\"label\":\"y\",\"more\":[{\"text\":1}],\"text\":\"\\u00e4\\\"\\n\"}";
    let rows = whole_and_cut(jsonl, text.as_bytes());
    assert_eq!(texts(&rows, 0), ["a\u{2028}b", "ä\"\n"]);
    assert_eq!(texts(&rows, 1), ["x", "y"]);
    assert_eq!(rows.lines, [1, 3]);
    assert_eq!(rows.raw(0), "{\"text\":\"a\u{2028}b\",\"label\":\"x\"}\r".as_bytes());
}

#[test]
fn half_a_character_in_json_becomes_the_replacement_character() {
    let rows = whole_and_cut(jsonl, br#"{"text":"a\ud83d b\ud83d\ude00","label":"\udc00","\ud800":"\ud800"}"#);
    assert_eq!(texts(&rows, 0), ["a\u{fffd} b😀"]);
    assert_eq!(texts(&rows, 1), ["\u{fffd}"]);
}

#[test]
fn a_text_may_be_an_array_of_tokens() {
    let lines = br#"{"text":["New York","n't"," ","\u0061\ud800"],"label":"x"}
{"text":[],"label":"x"}
{"text":["a",1],"label":"x"}
{"text":"b","label":"x"}"#;
    let rows = whole_and_cut(jsonl, lines);
    assert_eq!(texts(&rows, 0), ["\u{fdd0}New_York\u{fdd0}n't\u{fdd0}a\u{fffd}", "\u{fdd0}", "b"]);
    assert_eq!([0, 1, 2].map(|row| rows.kind(0, row)), [Kind::Tokens, Kind::Tokens, Kind::Text]);
    assert_eq!(rows.bad, [Bad { line: 3, reason: "its text is an array or an object".into() }]);
}

#[test]
fn every_escape_of_json_is_read() {
    let rows =
        whole_and_cut(jsonl, br#"{"text":"\"\\\/\b\f\n\r\t\u0000\u00E4\ud83d\ud83d\ude00\ude00x","label":"\u0041"}"#);
    assert_eq!(texts(&rows, 0), ["\"\\/\u{8}\u{c}\n\r\t\0ä\u{fffd}😀\u{fffd}x"]);
    assert_eq!(texts(&rows, 1), ["A"]);
    for wrong in [r#"{"text":"\x"}"#, r#"{"text":"\u12"}"#, r#"{"text":"\u12g4"}"#, r#"{"text":"\"#] {
        assert_eq!(whole_and_cut(jsonl, wrong.as_bytes()).bad.len(), 1, "{wrong}");
    }
}

#[test]
fn the_last_of_equal_names_counts() {
    let rows = whole_and_cut(jsonl, br#"{"text":"a","label":1,"text":"b","label":true}"#);
    assert_eq!((texts(&rows, 0), rows.kind(1, 0)), (vec!["b".to_string()], Kind::Truth));
}

#[test]
fn bad_json_rows_have_a_line_and_a_reason() {
    let lines = [
        r#"{"text":"fine","label":"a"}"#,
        r#"{"text":"fine","label":"#,
        r#"["fine","a"]"#,
        r#"{"text":5,"label":"a"}"#,
        r#"{"text":null,"label":"a"}"#,
        r#"{"label":"a"}"#,
        r#"{"text":"fine"}"#,
        r#"{"text":"fine","label":0.5}"#,
        r#"{"text":"fine","label":7}"#,
        r#"{"text":"fine","label":"a"} and more"#,
    ];
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n{\"text\":\"\xff\",\"label\":\"a\"}\n");
    let rows = whole_and_cut(jsonl, &bytes);
    assert_eq!(rows.lines, [1]);
    let reasons: Vec<(u64, &str)> = rows.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
    assert_eq!(
        reasons,
        [
            (2, "not JSON at column 23: EOF while parsing a value"),
            (3, "invalid type: sequence, expected an object"),
            (4, "its text is a whole number"),
            (5, "it has no text"),
            (6, "it has no text"),
            (7, "it has no label"),
            (8, "its label is a number with a fraction; a label is text, a whole number, true or false"),
            (9, "the label \"7\" is a whole number, but those before it are text"),
            (10, "not JSON at column 29: trailing characters"),
            (11, "byte 10 of it (0xff) is not UTF-8"),
        ]
    );
}

#[test]
fn threads_change_nothing() {
    let lines: String = (0..60_000).map(|n| format!("{{\"label\":{},\"text\":\"\\t row {n}\"}}\n", n % 3)).collect();
    let bytes = format!("{lines}no row\n{lines}");
    let [one, five] =
        [1, 5].map(|threads| jsonl().feed(Arc::new(bytes.clone().into_bytes()), true, threads).expect("short rows"));
    assert_eq!(texts(&one, 0), texts(&five, 0));
    assert_eq!(texts(&one, 1), texts(&five, 1));
    assert_eq!((&one.lines, &one.bad), (&five.lines, &five.bad));
    assert_eq!((one.len(), five.bad[0].line), (120_000, 60_001));
}

#[test]
fn quoted_cells_hold_anything_and_lines_are_counted_through_them() {
    let rows = whole_and_cut(|| csv(true), b"a,\"one, \"\"two\"\"\r\nthree\"\r\n\r\nb,\nc,1\n,none\nd\ne,\"5\" disk");
    assert_eq!(texts(&rows, 0), ["one, \"two\"\r\nthree", "", "1", "5 disk"]);
    assert_eq!(texts(&rows, 1), ["a", "b", "c", "e"]);
    assert_eq!(rows.lines, [1, 4, 5, 8]);
    let reasons: Vec<(u64, &str)> = rows.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
    assert_eq!(reasons, [(6, "it has no label"), (7, "it has 1 cells; the others have 2")]);
}

#[test]
fn a_quote_that_is_never_closed_is_one_bad_row() {
    let rows = whole_and_cut(|| csv(true), b"a,1\nb,\"2\nc,3\nd,4");
    assert_eq!((rows.len(), rows.bad.len(), rows.bad[0].line), (1, 1, 2));
    assert_eq!(rows.bad[0].reason, "a quote is opened here and never closed");
    assert_eq!(texts(&whole_and_cut(|| csv(false), b"a,1\nb,\"2\nc,3\n"), 0), ["1", "\"2", "3"]);
}

#[test]
fn half_a_character_in_each_of_two_cells_is_no_character() {
    let rows = whole_and_cut(|| csv(true), b"a,1\n\xc3,\xa4\nb,2\n");
    assert_eq!((rows.len(), rows.bad.len()), (2, 1));
    assert_eq!((rows.bad[0].line, rows.bad[0].reason.as_str()), (2, "byte 1 of it (0xc3) is not UTF-8"));
}

#[test]
fn a_row_that_never_ends_is_an_error_before_memory_does() {
    let mut reader = csv(true);
    assert!(reader.feed(Arc::new(b"a,b\nc,\"".to_vec()), false, 1).is_ok());
    let error = reader.feed(Arc::new(vec![b'x'; LONGEST + 1]), false, 1).err().expect("too long");
    assert_eq!(error.line, 2);
    assert!(error.reason.ends_with("is a quote never closed?"), "{}", error.reason);
}

#[test]
fn fasttext_lines_have_one_label() {
    let reader = || Reader::new(Format::FastText, vec![Use::Text, Use::Label], 1, LONGEST);
    let rows = whole_and_cut(reader, b"__label__a  one __label__b\r\n\n__label__a __label__b two\nthree\n__label__c");
    assert_eq!(texts(&rows, 0), ["one __label__b", ""]);
    assert_eq!(texts(&rows, 1), ["a", "c"]);
    let reasons: Vec<(u64, &str)> = rows.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
    assert_eq!(reasons, [(3, "it has 2 labels; a document has one"), (4, "it has no label")]);
}

#[test]
fn each_line_is_a_text_also_an_empty_one() {
    let read = |bytes: &[u8]| {
        let mut reader = Reader::new(Format::Lines, vec![Use::Text], 1, LONGEST);
        texts(&reader.feed(Arc::new(bytes.to_vec()), true, 1).expect("short rows"), 0)
    };
    assert_eq!(read("one\r\n\n two\u{85}".as_bytes()), ["one", "", " two\u{85}"]);
    assert_eq!(read(b"\n"), [""]);
    assert!(read(b"").is_empty());
}
