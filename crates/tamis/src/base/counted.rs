//! Numbers in sentences: nouns and verbs agree with them.

use std::fmt::Display;

/// A number and its noun: "0 features", "1 feature", "3 features".
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// The words that go with a number: the first for one, the others for none and for more.
///
/// ```
/// use tamis::base::{counted, plural};
///
/// let sentence = |n: u64| format!("{} {} missing values", counted(n, "feature"), plural(n, "has", "have"));
/// assert_eq!(sentence(1), "1 feature has missing values");
/// assert_eq!(sentence(2), "2 features have missing values");
/// ```
pub fn plural<N: PartialEq + From<u8>>(number: N, one: &'static str, more: &'static str) -> &'static str {
    if number == N::from(1) { one } else { more }
}

/// How many of how many, with a verb: "1 of 79 scores is", "none of 79 scores is", "3 of 79 scores are".
pub fn some_of<N: Display + PartialEq + From<u8>>(
    number: N,
    all: impl Display,
    nouns: &str,
    verbs: [&'static str; 2],
) -> String {
    let verb = verbs[usize::from(number != N::from(0) && number != N::from(1))];
    match number == N::from(0) {
        true => format!("none of {all} {nouns} {verb}"),
        false => format!("{number} of {all} {nouns} {verb}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_and_verbs_agree_with_their_number() {
        let features = [0_usize, 1, 2].map(|n| format!("{} {}", counted(n, "feature"), plural(n, "is", "are")));
        assert_eq!(features, ["0 features are", "1 feature is", "2 features are"]);
        let scores = [0_u64, 1, 2].map(|n| some_of(n, 79, "scores", ["is", "are"]));
        assert_eq!(scores, ["none of 79 scores is", "1 of 79 scores is", "2 of 79 scores are"]);
    }
}
