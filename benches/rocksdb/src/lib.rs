//! Stub of the `rocksdb` crate: it has the names that limitador needs to compile. Opening a database always fails, so no
//! other function can be called.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

/// A database that does not exist.
pub struct DBWithThreadMode<T> {
    never: Infallible,
    mode: PhantomData<T>,
}

/// The default kind of database.
pub type DB = DBWithThreadMode<MultiThreaded>;

/// A mode of a database.
pub struct MultiThreaded;

type Bytes = Box<[u8]>;
type Pairs = std::iter::Empty<Result<(Bytes, Bytes), Error>>;

#[expect(missing_docs, clippy::missing_const_for_fn, reason = "the real crate documents these")]
impl<T> DBWithThreadMode<T> {
    pub fn open(_: &Options, _: impl AsRef<Path>) -> Result<Self, Error> {
        Err(Error)
    }

    pub fn get(&self, _: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, Error> {
        match self.never {}
    }

    pub fn merge(&self, _: impl AsRef<[u8]>, _: impl AsRef<[u8]>) -> Result<(), Error> {
        match self.never {}
    }

    pub fn delete(&self, _: impl AsRef<[u8]>) -> Result<(), Error> {
        match self.never {}
    }

    pub fn iterator(&self, _: IteratorMode) -> Pairs {
        match self.never {}
    }

    pub fn prefix_iterator(&self, _: impl AsRef<[u8]>) -> Pairs {
        match self.never {}
    }
}

/// The error of every attempt to open a database.
#[derive(Debug)]
pub struct Error;

impl Error {
    /// Always returns `NotSupported`, which is not a transient error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        ErrorKind::NotSupported
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is a stub without RocksDB")
    }
}

impl std::error::Error for Error {}

#[expect(missing_docs, reason = "names that limitador uses")]
#[derive(PartialEq, Eq)]
pub enum ErrorKind {
    NotSupported,
    TimedOut,
    TryAgain,
}

#[expect(missing_docs, reason = "names that limitador uses")]
pub enum IteratorMode {
    Start,
}

#[expect(missing_docs, reason = "names that limitador uses")]
pub enum CompactionDecision {
    Keep,
    Remove,
}

#[expect(missing_docs, reason = "names that limitador uses")]
pub enum DBCompressionType {
    None,
    Bz2,
}

/// Options, which have no effect.
#[derive(Default)]
pub struct Options;

#[expect(missing_docs, reason = "the real crate documents these")]
impl Options {
    pub fn create_if_missing(&mut self, _: bool) {}

    pub fn set_compression_type(&mut self, _: DBCompressionType) {}

    pub fn set_compaction_filter<F>(&mut self, _: &str, _: F)
    where
        F: FnMut(u32, &[u8], &[u8]) -> CompactionDecision + Send + 'static,
    {
    }

    pub fn set_merge_operator_associative<F>(&mut self, _: &str, _: F)
    where
        F: Fn(&[u8], Option<&[u8]>, &MergeOperands) -> Option<Vec<u8>> + Clone + Send + Sync + 'static,
    {
    }
}

/// The operands of a merge. This stand-in never has any.
pub struct MergeOperands;

#[expect(clippy::into_iter_without_iter, reason = "limitador does not use it")]
impl<'o> IntoIterator for &'o MergeOperands {
    type Item = &'o [u8];
    type IntoIter = std::iter::Empty<&'o [u8]>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::empty()
    }
}
