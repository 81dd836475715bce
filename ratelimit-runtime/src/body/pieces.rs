//! `Pieces`: a large chunk of a body, given to the server in pieces.

use bytes::Bytes;

/// The most bytes that a body gives to the server at once.
///
/// A server that can buffer no more does not ask for the next piece, so a body in memory ends when it has nearly been sent.
/// Without pieces, the server takes it as a whole, and the body ends before a slow client has read anything.
const MOST: usize = 64 * 1024;

/// The rest of a chunk of which the server has taken a part.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    rest: Bytes,
}

impl Pieces {
    /// Starts the next chunk, and returns its first piece. A small chunk is one piece.
    pub(crate) fn start(&mut self, mut chunk: Bytes) -> Bytes {
        let first = chunk.split_to(chunk.len().min(MOST));
        self.rest = chunk;
        first
    }

    /// The next piece of the chunk. `None` if the whole chunk was taken.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        let length = self.rest.len().min(MOST);
        (length > 0).then(|| self.rest.split_to(length))
    }

    /// How many bytes of the chunk are left.
    pub(crate) fn left(&self) -> u64 {
        length(&self.rest)
    }
}

/// The length in bytes.
pub(crate) fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_given_in_pieces() {
        for (chunk, expected) in [(0, vec![0]), (MOST, vec![MOST]), (2 * MOST + 1, vec![MOST, MOST, 1])] {
            let mut pieces = Pieces::default();
            let mut given = vec![pieces.start(Bytes::from(vec![0; chunk])).len()];
            given.extend(std::iter::from_fn(|| pieces.next()).map(|piece| piece.len()));
            assert_eq!(given, expected);
        }
    }
}
