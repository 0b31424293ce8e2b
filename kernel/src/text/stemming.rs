//! Words to their stems, by the Snowball algorithms.
//!
//! The algorithms expect lower case and the plain apostrophe, which is what the word rules hand
//! on. Some of them take time quadratic in the length of a word; no language has words of a
//! hundred letters, so longer runs are left as they are.

use std::borrow::Cow;

use frostem::Algorithm;

use crate::error::Error;

/// In bytes: forty letters of any script, and the longest words of German and Finnish.
const LONGEST: usize = 128;

/// The stemmer of one language.
pub(super) struct Stemmer(frostem::Stemmer);

impl Stemmer {
    pub(super) fn new(language: &str) -> Result<Self, Error> {
        // By the full name only: the crate would also take "en" and "eng", and a setting that
        // can be spelled in three ways is three settings in saved models.
        Algorithm::all()
            .iter()
            .find(|algorithm| algorithm.name() == language)
            .map(|algorithm| Stemmer(frostem::Stemmer::new(*algorithm)))
            .ok_or_else(|| {
                let known = stemmers().join(", ");
                Error::Settings(format!("there is no stemmer for {language:?}; there are {known}"))
            })
    }

    pub(super) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() > LONGEST { Cow::Borrowed(word) } else { self.0.stem(word) }
    }
}

/// The languages that words can be stemmed in, in alphabetical order.
///
/// ```
/// assert!(banbury_kernel::text::stemmers().contains(&"english"));
/// ```
pub fn stemmers() -> Vec<&'static str> {
    let mut names: Vec<_> = Algorithm::all().iter().map(|algorithm| algorithm.name()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_share_a_stem() {
        let english = Stemmer::new("english").expect("English is known");
        let stems = ["connect", "connected", "connecting", "connections"].map(|w| english.stem(w));
        assert!(stems.iter().all(|stem| stem == "connect"), "{stems:?}");
        assert_eq!(english.stem("dog's"), "dog");
    }

    #[test]
    fn every_language_offered_can_be_had_and_takes_any_text() {
        for language in stemmers() {
            let stemmer = Stemmer::new(language).expect("it is offered");
            for word in ["", "'", "a", "-", "ß", "字", "ing", "\u{301}", "прекрасными", "والكتاب"] {
                stemmer.stem(word);
            }
        }
    }

    #[test]
    fn an_unknown_language_is_refused_with_the_known_ones() {
        let error = Stemmer::new("klingon").err().expect("not a language here").to_string();
        assert!(error.contains("\"klingon\"") && error.contains("english, esperanto"), "{error}");
    }

    #[test]
    fn a_run_longer_than_any_word_is_left_alone() {
        let run = "ya".repeat(1_000_000);
        assert_eq!(Stemmer::new("english").expect("English is known").stem(&run), run);
    }
}
