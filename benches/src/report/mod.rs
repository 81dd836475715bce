//! The report: figures of rounds, tables of figures, and their output as Markdown and as pictures.

pub(crate) mod machine;
pub(crate) mod markdown;
pub(crate) mod page;
pub(crate) mod plot;
mod series;
mod table;

pub(crate) use series::{Series, grouped};
pub(crate) use table::{Better, Bound, Goal, Row, Table};
