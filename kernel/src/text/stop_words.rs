//! Function words: frequent, and the same in a text about anything.
//!
//! Negations (not, no, never, don't) and words that judge or measure (very, only, too, more) are
//! left out on purpose: they carry what classifiers of opinion live on.

/// Articles, pronouns, prepositions, auxiliaries, conjunctions, a few pointing adverbs, and what
/// is left of contractions where words are split at the apostrophe.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those",
    "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "yourselves",
    "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself", "one", "oneself",
    "we", "us", "our", "ours", "ourselves", "they", "them", "their", "theirs", "themselves",
    "who", "whom", "whose", "which", "what", "whoever", "whichever", "whatever",
    "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before", "behind",
    "below", "beneath", "beside", "between", "beyond", "by", "down", "during", "for", "from", "in", "inside",
    "into", "near", "of", "off", "on", "onto", "out", "outside", "over", "per", "since", "through",
    "throughout", "till", "to", "toward", "towards", "under", "until", "up", "upon", "via", "with", "within",
    "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "having",
    "do", "does", "did", "doing", "done", "can", "could", "may", "might", "must", "shall", "should", "will", "would",
    "and", "or", "if", "then", "than", "so", "because", "while", "whether", "both", "either", "though",
    "here", "there", "where", "when", "how", "why", "also", "again", "other", "others", "another", "such",
    "some", "any", "each", "own", "same",
    "i'm", "i've", "i'd", "i'll", "you're", "you've", "you'd", "you'll", "he's", "he'd", "he'll",
    "she's", "she'd", "she'll", "it's", "it'd", "it'll", "we're", "we've", "we'd", "we'll",
    "they're", "they've", "they'd", "they'll", "that's", "that'd", "that'll", "this'll", "there's", "there'd", "there'll",
    "here's", "where's", "when's", "how's", "why's", "what's", "what're", "what'll", "who's", "who'd", "who'll", "who've",
    "could've", "should've", "would've", "might've", "must've", "let's",
    "s", "m", "d", "ll", "re", "ve",
];

/// The list of that name, if there is one; there is "english".
///
/// ```
/// let words = banbury_kernel::text::stop_words("english").unwrap();
/// assert!(words.contains(&"the") && !words.contains(&"not"));
/// ```
pub fn stop_words(name: &str) -> Option<&'static [&'static str]> {
    (name == "english").then_some(ENGLISH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_listed_twice() {
        let mut words = ENGLISH.to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), ENGLISH.len());
    }

    #[test]
    fn what_negates_or_judges_is_no_stop_word() {
        for word in [
            "not", "no", "nor", "never", "neither", "none", "without", "cannot", "don't", "but", "very", "only", "too",
            "more",
        ] {
            assert!(!ENGLISH.contains(&word), "{word}");
        }
    }
}
