//! `Pieces`: a large chunk of a body, given to the server in pieces.

use bytes::Bytes;

/// The maximum number of bytes that a body gives to the server at once.
///
/// A server with a full buffer does not ask for the next piece. So a body in memory ends when nearly all of it has been sent.
/// Without pieces, the server would take the body as a whole, and the body would end before a slow client has read anything.
const MOST: usize = 64 * 1024;

/// The part of a chunk that the server has not taken yet.
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

    /// The number of bytes of the chunk that are left.
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
