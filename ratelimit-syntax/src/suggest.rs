//! Suggests the nearest word for a misspelt one.

use std::cmp::Reverse;

/// `; did you mean x?` if a word is near, else `; expected one of ..`.
pub(crate) fn suggest<'a>(found: &str, words: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(word) = nearest(found, words.clone()) {
        return format!("; did you mean `{word}`?");
    }
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    format!("; expected one of {}", words.join(", "))
}

/// Returns the word that was probably meant. `None` if no word is near. Of two equally near words, returns the one that begins
/// like the misspelt word for longer: `count` for `cout`, and not `cost`.
pub fn nearest<'a>(found: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let same_start = |word: &str| found.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
    let near = words.map(|word| (distance(found, word), Reverse(same_start(word)), word)).min();
    near.filter(|(distance, ..)| *distance <= (found.chars().count() / 3).max(1)).map(|(.., word)| word)
}

/// Counts the insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_listed() {
        let words = || ["time", "count", "by"].into_iter();
        assert_eq!(suggest("tiem", words()), "; did you mean `time`?");
        assert_eq!(suggest("Count", words()), "; did you mean `count`?");
        assert_eq!(suggest("window", words()), "; expected one of `time`, `count`, `by`");
        assert_eq!(suggest("b", words()), "; did you mean `by`?");
        assert_eq!(nearest("cout", ["cost", "count"].into_iter()), Some("count"));
    }

    #[test]
    fn the_distance_counts_swaps_once() {
        assert_eq!(distance("burts", "burst"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
