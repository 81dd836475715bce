//! Shortens a failing sequence.

/// Removes parts of a sequence while the remaining sequence still fails. Returns `false` if the whole sequence does not fail.
/// `fails_at` returns the index of the first failure.
pub async fn shorten<T: Clone>(
    sequence: &mut Vec<T>,
    mut fails_at: impl AsyncFnMut(&[T]) -> Option<usize>,
) -> bool {
    let Some(at) = fails_at(sequence).await else { return false };
    sequence.truncate(at + 1);
    let mut piece = sequence.len() / 2;
    while piece > 0 {
        let mut from = 0;
        while from + piece <= sequence.len() {
            let mut shorter = sequence.clone();
            shorter.drain(from..from + piece);
            match fails_at(&shorter).await {
                Some(at) => {
                    shorter.truncate(at + 1);
                    *sequence = shorter;
                }
                None => from += piece,
            }
        }
        piece /= 2;
    }
    true
}
