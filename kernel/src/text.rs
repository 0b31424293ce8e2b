//! A document to its features: words, word n-grams, character n-grams, from plain settings.
//!
//! `Settings` says what is wanted, `Analyzer` is the settings made ready, `Tokens` is what comes out: bytes in one vector
//! and, for each token, where it starts and ends there. The bytes may hold more than the tokens, and tokens may overlap:
//! a word that is spelled as in the text stays inside a copy of the text, and n-grams of characters inside their word.
//!
//! A scanner (`unicode` or `python`) finds the pieces of a text, the `writer` decides what becomes of each. The same
//! scanner serves `words`, which only appends tokens, and `tokens`, which also says where in the text they are, so the two
//! cannot disagree. Every text takes linear time. A document can come as tokens, too: `given` has those.

mod blocks;
mod characters;
mod classes;
mod emoticons;
mod given;
mod letters;
mod lowercase;
mod python;
mod recognisers;
mod stemming;
mod stop_words;
mod unicode;
mod writer;

use std::cell::RefCell;
use std::collections::HashSet;

use crate::error::Error;
use crate::processor::Plan;
pub use characters::Chunk;
pub use given::{MARK, is_given, pieces};
use recognisers::Thing;
use stemming::Stemmer;
use writer::{Places, Writer, push_word};

pub use stemming::stemmers;
pub use stop_words::stop_words;

/// Of a run of characters: each character of a text is the start of a feature of every length.
const LONGEST_CHARACTERS: u8 = 32;

/// The rule that says what a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Words, numbers, emoticons, hashtags and punctuation of any language.
    Unicode,
    /// Runs of `\w`, as Python's `re` finds them.
    Python,
}

/// What becomes of a web address, e-mail address, @handle or HTML tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// One token, as it stands.
    Keep,
    /// No token.
    Remove,
    /// One placeholder for all of them: `<url>`, `<email>`, `<user>`, `<tag>`.
    Replace,
    /// Not recognised: its pieces are ordinary text.
    Split,
}

/// Which punctuation makes tokens; the `Python` words have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Punctuation {
    None,
    /// Runs of `!` and `?` (`!!` for two or more), `..` for two or more dots, currency signs, `%`.
    Expressive,
    /// Every other sign as well, one token each.
    All,
}

/// What a document is turned into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `None`: no word features.
    pub words: Option<Words>,
    pub lowercase: bool,
    pub urls: Treatment,
    pub handles: Treatment,
    pub emails: Treatment,
    pub tags: Treatment,
    pub punctuation: Punctuation,
    /// Whether emoticons and emoji become tokens; they are not part of words in any case.
    pub emoticons: bool,
    /// Words after an English negation, up to the next punctuation, get the prefix `not_`.
    pub negation: bool,
    /// Tokens to leave out, compared after lower-casing and before stemming.
    pub stop_words: Vec<String>,
    /// One of [`stemmers`].
    pub stemmer: Option<String>,
    /// Words of fewer characters are left out; counted before stemming.
    pub min_length: usize,
    /// Shortest and longest word n-gram.
    pub ngrams: (u8, u8),
    /// Shortest and longest character n-gram.
    pub characters: Option<(u8, u8)>,
    /// If given, only these tokens count.
    pub keywords: Option<Vec<String>>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            words: Some(Words::Unicode),
            lowercase: true,
            urls: Treatment::Replace,
            handles: Treatment::Replace,
            emails: Treatment::Keep,
            tags: Treatment::Remove,
            punctuation: Punctuation::Expressive,
            emoticons: true,
            negation: false,
            stop_words: Vec::new(),
            stemmer: None,
            min_length: 1,
            ngrams: (1, 1),
            characters: None,
            keywords: None,
        }
    }
}

/// Tokens of a run of documents: bytes, and where each token starts and ends in them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub bytes: Vec<u8>,
    pub spans: Vec<[u32; 2]>,
    /// Memory that scanners use again.
    plans: Vec<Plan>,
}

impl Tokens {
    /// No tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the tokens and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    /// Appends a token.
    pub fn push(&mut self, token: &[u8]) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(token);
        self.mark(begin, self.bytes.len());
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The bytes of token `i`: UTF-8.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        let [start, end] = self.spans[i];
        &self.bytes[start as usize..end as usize]
    }

    /// Makes sure that 16 bytes can be read from the start of every token on.
    pub fn pad(&mut self) {
        self.bytes.extend_from_slice(&[0; 16]);
    }

    /// Makes `bytes[start..end]` a token.
    #[inline(always)]
    fn mark(&mut self, start: usize, end: usize) {
        assert!(end <= u32::MAX as usize, "the tokens of a run of documents fit in 4 GiB");
        let end = end as u32;
        self.spans.push([start as u32, end]);
    }
}

/// A token and its place in the text, in code points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub start: usize,
    pub end: usize,
}

/// Settings made ready for use: immutable, shared between threads.
///
/// ```
/// use banbury_kernel::text::{Analyzer, Settings, Tokens};
///
/// let analyzer = Analyzer::new(Settings::default())?;
/// let mut out = Tokens::new();
/// analyzer.words("Don't PANIC!!! http://h2g2.com :-)", &mut out);
/// let words: Vec<_> = (0..out.len()).map(|i| str::from_utf8(out.get(i)).unwrap()).collect();
/// assert_eq!(words, ["don't", "panic", "!!", "<url>", ":-)"]);
/// # Ok::<(), banbury_kernel::error::Error>(())
/// ```
pub struct Analyzer {
    settings: Settings,
    stop_words: TokenSet,
    stemmer: Option<Stemmer>,
    keywords: Option<TokenSet>,
    /// Words need no more than lower case.
    is_plain: bool,
    /// Words are Python's, lower-cased, and nothing else is asked of them.
    is_blockwise: bool,
}

impl Analyzer {
    /// Makes `settings` ready, or says which of them cannot be followed and why.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        check_range("ngrams", settings.ngrams)?;
        if let Some(range) = settings.characters {
            check_range("characters", range)?;
            if range.1 > LONGEST_CHARACTERS {
                let message = format!("characters is {range:?}; a run has at most {LONGEST_CHARACTERS} of them");
                return Err(Error::Settings(message));
            }
        }
        let stemmer = settings.stemmer.as_deref().map(Stemmer::new).transpose()?;
        let spelled = |word: &String| {
            let mut bytes = Vec::new();
            push_word(word, settings.lowercase, &mut bytes);
            bytes
        };
        let stop_words = TokenSet::new(settings.stop_words.iter().map(spelled));
        let mut analyzer =
            Analyzer { settings, stop_words, stemmer, keywords: None, is_plain: false, is_blockwise: false };
        let keywords = analyzer.settings.keywords.take();
        if let Some(keywords) = &keywords {
            let tokens: Result<Vec<_>, _> = keywords.iter().map(|k| analyzer.keyword(k)).collect();
            analyzer.keywords = Some(TokenSet::new(tokens?.into_iter().map(String::into_bytes)));
        }
        analyzer.settings.keywords = keywords;
        let is_untouched = !analyzer.settings.negation
            && analyzer.stop_words.is_empty()
            && analyzer.stemmer.is_none()
            && analyzer.keywords.is_none();
        analyzer.is_plain = is_untouched && analyzer.settings.min_length <= 1;
        analyzer.is_blockwise = is_untouched
            && analyzer.settings.words == Some(Words::Python)
            && analyzer.settings.lowercase
            && Thing::ALL.iter().all(|thing| thing.treatment(&analyzer.settings) == Treatment::Split);
        Ok(analyzer)
    }

    /// The settings it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Appends the word tokens of `text`.
    pub fn words(&self, text: &str, out: &mut Tokens) {
        if self.is_blockwise && !is_given(text) && blocks::words(text, self.settings.min_length, out) {
            return;
        }
        self.scan(text, out, &mut ());
    }

    /// Appends the character n-grams of `text`, if any are wanted. They overlap in `out.bytes`.
    ///
    /// ```
    /// use banbury_kernel::text::{Analyzer, Settings, Tokens};
    ///
    /// let settings = Settings { characters: Some((3, 3)), ..Settings::default() };
    /// let mut out = Tokens::new();
    /// Analyzer::new(settings)?.characters("Ham", &mut out);
    /// assert_eq!((0..3).map(|i| out.get(i)).collect::<Vec<_>>(), [b" ha", b"ham", b"am "]);
    /// # Ok::<(), banbury_kernel::error::Error>(())
    /// ```
    pub fn characters(&self, text: &str, out: &mut Tokens) {
        self.scan_characters(text, out, &mut (), &mut |_| {});
    }

    /// The same, but for `take`, which is called whenever there are many and may take them out: so those of a very long
    /// text need little memory.
    pub fn characters_in_pieces(&self, text: &str, out: &mut Tokens, take: &mut dyn FnMut(&mut Tokens)) {
        self.scan_characters(text, out, &mut (), take);
    }

    /// The same, and puts where they are, in bytes, into `places`, which `take` has to empty, too.
    pub fn characters_with_places(
        &self,
        text: &str,
        out: &mut Tokens,
        places: &RefCell<Vec<(usize, usize)>>,
        take: &mut dyn FnMut(&mut Tokens),
    ) {
        self.scan_characters(text, out, &mut &*places, take);
    }

    /// The word tokens of `text` with their places.
    ///
    /// ```
    /// use banbury_kernel::text::{Analyzer, Settings};
    ///
    /// let tokens = Analyzer::new(Settings::default())?.tokens("Ça va?");
    /// let found: Vec<_> = tokens.iter().map(|t| (t.text.as_str(), t.start, t.end)).collect();
    /// assert_eq!(found, [("ça", 0, 2), ("va", 3, 5), ("?", 5, 6)]);
    /// # Ok::<(), banbury_kernel::error::Error>(())
    /// ```
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        placed(text, |out, places| self.scan(text, out, places))
    }

    /// Appends the word tokens of `text`, and puts where they are, in bytes, into `places`.
    pub fn words_with_places(&self, text: &str, out: &mut Tokens, places: &mut Vec<(usize, usize)>) {
        places.clear();
        self.scan(text, out, places);
    }

    /// The chunks of a text, as white space parts it, and how many character n-grams each has.
    pub fn chunks(&self, text: &str) -> Vec<Chunk> {
        characters::chunks_of(text, self.settings.characters, self.settings.lowercase)
    }

    /// All features of `text` with their places: word n-grams from the shortest to the longest,
    /// joined by a space, each from the start of its first word to the end of its last; then
    /// character n-grams.
    ///
    /// ```
    /// use banbury_kernel::text::{Analyzer, Settings};
    ///
    /// let settings = Settings { ngrams: (1, 2), ..Settings::default() };
    /// let features = Analyzer::new(settings)?.features("Ice, cream");
    /// let names: Vec<_> = features.iter().map(|feature| feature.text.as_str()).collect();
    /// assert_eq!(names, ["ice", "cream", "ice cream"]);
    /// # Ok::<(), banbury_kernel::error::Error>(())
    /// ```
    pub fn features(&self, text: &str) -> Vec<Token> {
        let words = self.tokens(text);
        let (shortest, longest) = self.settings.ngrams;
        let lengths = usize::from(shortest)..=usize::from(longest);
        let mut features: Vec<_> = lengths.flat_map(|n| words.windows(n).map(join)).collect();
        features.extend(placed(text, |out, places| self.scan_characters(text, out, places, &mut |_| {})));
        features
    }

    /// The token that a keyword stands for: lower-cased and stemmed like the words of a text.
    ///
    /// ```
    /// use banbury_kernel::text::{Analyzer, Settings};
    ///
    /// let settings = Settings { stemmer: Some("english".into()), ..Settings::default() };
    /// assert_eq!(Analyzer::new(settings)?.keyword("Winning")?, "win");
    /// # Ok::<(), banbury_kernel::error::Error>(())
    /// ```
    pub fn keyword(&self, keyword: &str) -> Result<String, Error> {
        if Thing::ALL.iter().any(|thing| thing.placeholder() == keyword) {
            return Ok(keyword.to_owned());
        }
        // A prefix of negation is put before the stem, so it is no part of what is stemmed.
        let (prefix, word) = match keyword.strip_prefix("not_") {
            Some(word) if self.settings.negation => ("not_", word),
            _ => ("", keyword),
        };
        let mut out = Tokens::new();
        self.words(word, &mut out);
        if out.len() != 1 {
            let found: Vec<_> = (0..out.len()).map(|i| String::from_utf8_lossy(out.get(i))).collect();
            return Err(Error::Settings(format!(
                "keyword {keyword:?} makes {} tokens {found:?} with these settings; it has to make \
                 exactly one",
                out.len(),
            )));
        }
        Ok(format!("{prefix}{}", String::from_utf8_lossy(out.get(0))))
    }

    fn scan<P: Places>(&self, text: &str, out: &mut Tokens, places: &mut P) {
        let mut writer = Writer::new(self, out, places);
        match self.settings.words {
            Some(_) if is_given(text) => given::scan(text, &mut writer),
            Some(Words::Unicode) => unicode::scan(text, &self.settings, &mut writer),
            Some(Words::Python) => python::scan(text, &self.settings, &mut writer),
            None => {}
        }
    }

    fn scan_characters<P: Places>(
        &self,
        text: &str,
        out: &mut Tokens,
        places: &mut P,
        take: &mut dyn FnMut(&mut Tokens),
    ) {
        if let Some(range) = self.settings.characters {
            characters::scan(text, range, self.settings.lowercase, out, places, take);
        }
    }

    #[inline]
    fn is_stop_word(&self, token: &[u8]) -> bool {
        self.stop_words.contains(token)
    }

    #[inline]
    fn is_keyword(&self, token: &[u8]) -> bool {
        self.keywords.as_ref().is_none_or(|keywords| keywords.contains(token))
    }
}

/// A set of tokens that says no at once to most of the others.
struct TokenSet {
    tokens: HashSet<Vec<u8>>,
    /// For each first byte, a bit for each length there is; the last bit for all from 31 on.
    lengths: [u32; 256],
}

impl TokenSet {
    fn new(tokens: impl Iterator<Item = Vec<u8>>) -> Self {
        let tokens: HashSet<_> = tokens.filter(|token| !token.is_empty()).collect();
        let mut lengths = [0; 256];
        for token in &tokens {
            lengths[usize::from(token[0])] |= 1 << token.len().min(31);
        }
        TokenSet { tokens, lengths }
    }

    fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    #[inline]
    fn contains(&self, token: &[u8]) -> bool {
        self.lengths[usize::from(token[0])] >> token.len().min(31) & 1 == 1 && self.tokens.contains(token)
    }
}

fn check_range(name: &str, (shortest, longest): (u8, u8)) -> Result<(), Error> {
    if 1 <= shortest && shortest <= longest {
        return Ok(());
    }
    Err(Error::Settings(format!(
        "{name} is ({shortest}, {longest}); it has to be (shortest, longest), both at least 1"
    )))
}

/// The tokens that `scan` writes, with their places turned from bytes to code points. Of a document that came as tokens these
/// are places where tokens stand with one space between them, so the mark before the first does not count.
fn placed(text: &str, scan: impl FnOnce(&mut Tokens, &mut Vec<(usize, usize)>)) -> Vec<Token> {
    let (mut out, mut places) = (Tokens::new(), Vec::new());
    scan(&mut out, &mut places);
    let token = |(i, (start, end)): (usize, (usize, usize))| Token {
        text: String::from_utf8_lossy(out.get(i)).into_owned(),
        start,
        end,
    };
    in_code_points(text, places.into_iter().enumerate().map(token).collect())
}

/// Tokens whose places are in bytes of `text`, with their places in code points.
pub fn in_code_points(text: &str, mut tokens: Vec<Token>) -> Vec<Token> {
    let before = usize::from(is_given(text));
    if text.is_ascii() {
        return tokens;
    }
    // So many code points start before a multiple of so many bytes: it takes a fraction of the memory of a number for each byte.
    const STEP: usize = 64;
    let starts = |bytes: &[u8]| bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    let mut sums = vec![0];
    sums.extend(text.as_bytes().chunks(STEP).scan(0, |sum, step| {
        *sum += starts(step);
        Some(*sum)
    }));
    let point = |at: usize| sums[at / STEP] + starts(&text.as_bytes()[at / STEP * STEP..at]) - before;
    for token in &mut tokens {
        (token.start, token.end) = (point(token.start), point(token.end));
    }
    tokens
}

fn join(words: &[Token]) -> Token {
    let texts: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
    Token { text: texts.join(" "), start: words[0].start, end: words[words.len() - 1].end }
}

#[cfg(test)]
mod tests;
