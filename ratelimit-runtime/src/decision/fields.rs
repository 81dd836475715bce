//! Serializes a decision as a table of its fields, with the feature `serde`. Times are in microseconds.

use super::{Decision, Micros, Passes, Unstamped, When};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Fields {
    allowed: bool,
    capacity: u32,
    remaining: u32,
    /// The wait of an admitted call for its turn.
    #[serde(default)]
    delay_us: u64,
    /// The wait of a refused call, if it is known.
    retry_after_us: Option<u64>,
    /// The time until a lease ends, for a call that is refused until a permit is returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease_ends_after_us: Option<u64>,
    reset_after_us: u64,
}

impl Serialize for Decision {
    /// Leaves out the stamp, which only the store of the decision can use.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (delay_us, retry_after_us, lease_ends_after_us) = match self.numbers.passes.when() {
            When::InTurn(delay) => (delay.0, None, None),
            When::After(wait) => (0, Some(wait.0), None),
            When::AfterReturn(wait) => (0, None, Some(wait.0)),
            When::Never => (0, None, None),
        };
        let fields = Fields {
            allowed: self.is_allowed(),
            capacity: self.capacity(),
            remaining: self.remaining(),
            delay_us,
            retry_after_us,
            lease_ends_after_us,
            reset_after_us: self.numbers.reset_after.0,
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        let when = match (fields.retry_after_us, fields.lease_ends_after_us) {
            _ if fields.allowed => When::InTurn(Micros(fields.delay_us)),
            (Some(wait), _) => When::After(Micros(wait)),
            (None, Some(wait)) => When::AfterReturn(Micros(wait)),
            (None, None) => When::Never,
        };
        let Fields { capacity, remaining, reset_after_us, .. } = fields;
        let (passes, reset_after) = (Passes::new(when), Micros(reset_after_us));
        Ok(Unstamped { passes, reset_after, capacity, remaining }.decision())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;
    use std::time::Duration;

    #[test]
    fn a_decision_is_what_it_was() {
        let (limit, second) = (Limit::counter(5, Duration::from_secs(60)), Duration::from_secs(1));
        let permits = Limit::concurrency(5, second);
        for decision in [
            Decision::allow(&limit, 4, second),
            Decision::allow(&limit, 4, second).in_turn(second / 4, 0),
            Decision::refuse(&limit, 0, Some(second / 2), second),
            Decision::refuse(&limit, 0, None, second),
            Decision::refuse(&permits, 0, Some(second / 2), second),
        ] {
            let json = serde_json::to_string(&decision).unwrap();
            assert_eq!(serde_json::from_str::<Decision>(&json).unwrap(), decision, "{json}");
        }
        let json = serde_json::to_value(Decision::refuse(&limit, 0, Some(second), second)).unwrap();
        assert_eq!(
            (json["allowed"].as_bool(), json["retry_after_us"].as_u64()),
            (Some(false), Some(1_000_000))
        );
    }
}
