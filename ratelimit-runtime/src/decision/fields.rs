//! A decision as a table of its fields, with the feature `serde`. Times are microseconds.

use super::{Decision, Micros, Passes};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Fields {
    allowed: bool,
    limit: u32,
    remaining: u32,
    /// Of an admitted call.
    #[serde(default)]
    delay_us: u64,
    /// Of a refused call. `None` if it can never pass.
    retry_after_us: Option<u64>,
    reset_after_us: u64,
}

impl Serialize for Decision {
    /// Leaves out the stamp, which only the store of the decision can use.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (delay_us, retry_after_us) = match self.passes {
            Passes::InTurn(delay) => (delay.0, None),
            Passes::After(wait) => (0, Some(wait.0)),
            Passes::Never => (0, None),
        };
        let fields = Fields {
            allowed: self.allowed(),
            limit: self.limit,
            remaining: self.remaining,
            delay_us,
            retry_after_us,
            reset_after_us: self.reset_after.0,
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Fields { allowed, limit, remaining, delay_us, retry_after_us, reset_after_us } =
            Fields::deserialize(deserializer)?;
        let passes = match retry_after_us {
            _ if allowed => Passes::InTurn(Micros(delay_us)),
            Some(wait) => Passes::After(Micros(wait)),
            None => Passes::Never,
        };
        Ok(Self { passes, reset_after: Micros(reset_after_us), stamp: 0, limit, remaining })
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
        for decision in [
            Decision::allow(&limit, 4, second),
            Decision::allow(&limit, 4, second).in_turn(second / 4, 0),
            Decision::refuse(&limit, 0, Some(second / 2), second),
            Decision::refuse(&limit, 0, None, second),
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
