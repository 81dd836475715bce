//! Reads the replies of `decide` and `adjust`.

use super::numbers::{self, FOREIGN_KEY, NEVER, OUT_OF_RANGE};
use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Adjusted, Adjustment, Decisions, Mode};
use redis::Value;
use std::time::Duration;

/// Why the reply of a script cannot be used.
pub(crate) enum InvalidReply {
    /// The reply does not have the expected form.
    Malformed(&'static str),
    /// The key of the request at this position holds a value that no script of this library has written.
    ForeignKey(usize),
}

impl From<&'static str> for InvalidReply {
    fn from(why: &'static str) -> Self {
        Self::Malformed(why)
    }
}

pub(crate) const WRONG_NUMBER_OF_DECISIONS: &str =
    "the number of decisions differs from the number of requests";

/// Splits the reply of `decide` into records of four integers, one for each of `number` keys.
pub(crate) fn records(reply: &Value, number: usize) -> Result<impl Iterator<Item = [i64; 4]>, InvalidReply> {
    let Value::BulkString(bytes) = reply else {
        return Err("expected a string".into());
    };
    let (records, []) = bytes.as_chunks::<32>() else {
        return Err("the last decision is incomplete".into());
    };
    if records.len() != number {
        return Err(WRONG_NUMBER_OF_DECISIONS.into());
    }
    let integers = |record: &[u8; 32]| {
        let (integers, _) = record.as_chunks::<8>();
        std::array::from_fn(|at| i64::from_le_bytes(integers[at]))
    };
    Ok(records.iter().map(integers))
}

/// Reads the decisions about requests that were not merged.
pub(crate) fn decisions(reply: &Value, mode: Mode, limits: &[Limit]) -> Result<Decisions, InvalidReply> {
    let read = |(at, (record, limit)): (usize, ([i64; 4], &Limit))| match record {
        [delay, ..] if delay == -FOREIGN_KEY => Err(InvalidReply::ForeignKey(at)),
        record => Ok(decision(record, mode, limit)?),
    };
    records(reply, limits.len())?.zip(limits).enumerate().map(read).collect()
}

/// Reads the record of one request. The caller has already checked for [`FOREIGN_KEY`].
pub(crate) fn decision(
    [delay, remaining, reset, stamp]: [i64; 4],
    mode: Mode,
    limit: &Limit,
) -> Result<Decision, &'static str> {
    if delay == -NEVER {
        return numbers::refuse_forever(limit, remaining, reset);
    }
    if delay < 0 {
        return numbers::refuse(limit, remaining, delay.checked_neg().ok_or(OUT_OF_RANGE)?, reset);
    }
    let longest_wait = if mode == Mode::Charge { limit.longest_wait() } else { Duration::ZERO };
    let delay = numbers::ms(delay)?;
    if delay > longest_wait {
        return Err(OUT_OF_RANGE);
    }
    let stamp = if mode == Mode::Charge { u64::try_from(stamp).map_err(|_| OUT_OF_RANGE)? } else { 0 };
    Ok(numbers::allow(limit, remaining, reset)?.in_turn(delay, stamp))
}

/// Reads the reply of `adjust`: for each adjustment the number of units that were changed, at most those that it named.
pub(crate) fn adjusted(reply: &Value, adjustments: &[Adjustment]) -> Result<Adjusted, InvalidReply> {
    let Value::Array(fields) = reply else {
        return Err("expected a list".into());
    };
    if fields.len() != adjustments.len() {
        return Err("the number of integers differs from the number of adjustments".into());
    }
    let units = |(field, adjustment): (&Value, &Adjustment)| match field {
        Value::Int(units) => {
            let units = u32::try_from(*units).ok().filter(|units| *units <= adjustment.units());
            units.ok_or_else(|| OUT_OF_RANGE.into())
        }
        _ => Err("expected a list of integers".into()),
    };
    fields.iter().zip(adjustments).map(units).collect()
}
