//! Reads and writes limits and changes in configuration files, with the feature `serde`. It reads a text, or a table with the
//! words of the attribute.

use super::rules::Number;
use super::text::UNLIMITED;
use super::{Algorithm, Limit, LimitChange, ParseLimitError};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for LimitChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Words::read(Some(Algorithm::Counter), deserializer)
    }
}

impl<'de> Deserialize<'de> for LimitChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Words::read(None, deserializer)
    }
}

/// For fields of type `Option<Limit>`, in which `None` means that there is no limit.
impl Limit {
    /// Reads a limit, or nothing: the text `unlimited`, or a missing value. Write it into an attribute of the field:
    ///
    /// ```
    /// use ratelimit_limit::Limit;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Plan {
    ///     #[serde(deserialize_with = "Limit::deserialize_optional")]
    ///     exports: Option<Limit>,
    /// }
    ///
    /// let plan: Plan = serde_json::from_str(r#"{ "exports": "unlimited" }"#).unwrap();
    /// assert_eq!(plan.exports, None);
    /// let plan: Plan = serde_json::from_str(r#"{ "exports": "counter count=5 time=1d" }"#).unwrap();
    /// assert_eq!(plan.exports, Some(Limit::counter(5, std::time::Duration::from_secs(86_400))));
    /// assert!(serde_json::from_str::<Plan>("{}").is_err()); // add `#[serde(default)]` if a missing field means unlimited
    /// ```
    ///
    /// # Errors
    ///
    /// If the value is no limit.
    pub fn deserialize_optional<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Self>, D::Error> {
        Ok(Option::<Optional>::deserialize(deserializer)?.and_then(|read| read.0))
    }

    /// Writes what [`deserialize_optional`](Self::deserialize_optional) reads, for
    /// `#[serde(serialize_with = "Limit::serialize_optional")]`.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize_optional<S: Serializer>(limit: &Option<Self>, serializer: S) -> Result<S::Ok, S::Error> {
        match limit {
            Some(limit) => limit.serialize(serializer),
            None => serializer.serialize_str(UNLIMITED),
        }
    }
}

struct Optional(Option<Limit>);

impl FromStr for Optional {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<Self, ParseLimitError> {
        Limit::parse_optional(text).map(Self)
    }
}

impl<'de> Deserialize<'de> for Optional {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Words::read(Some(Algorithm::Counter), deserializer)
    }
}

/// Reads a value from a text, or from a table with the words of that text.
struct Words<T> {
    /// The algorithm for a table that does not name an algorithm.
    default: Option<Algorithm>,
    read: PhantomData<T>,
}

/// The value of one word in a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Number(u64),
    Text(String),
    List(Vec<String>),
}

impl<T: FromStr<Err = ParseLimitError>> Words<T> {
    fn read<'de, D: Deserializer<'de>>(default: Option<Algorithm>, deserializer: D) -> Result<T, D::Error> {
        let words = Self { default, read: PhantomData };
        // A binary format does not say whether a text or a table follows, so there the value is always a text.
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(words)
        } else {
            deserializer.deserialize_str(words)
        }
    }
}

impl<'de, T: FromStr<Err = ParseLimitError>> Visitor<'de> for Words<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a limit as text, such as `counter count=5 time=1m`, or a table with `count = 5` and `time = \"1m\"`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut table: M) -> Result<T, M::Error> {
        let mut words = vec![self.default.map(|default| default.as_str().to_owned()).unwrap_or_default()];
        while let Some((name, value)) = table.next_entry::<String, Value>()? {
            // As in the attribute, a whole number means seconds. A configuration from the environment has quotes around it.
            let is_time = Number::named(&name).is_some_and(|number| number.takes().is_time());
            let timed = |text: &str| {
                let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                if is_time && is_number { format!("{text}s") } else { text.to_owned() }
            };
            let value = match value {
                Value::Number(number) => timed(&number.to_string()),
                Value::Text(text) => text.split(',').map(timed).collect::<Vec<_>>().join(","),
                Value::List(texts) => texts.iter().map(|text| timed(text)).collect::<Vec<_>>().join(","),
            };
            if value.contains(char::is_whitespace) || name.contains(char::is_whitespace) {
                return Err(Error::custom(format_args!("`{name}` must be one word or number")));
            }
            if name == "algorithm" {
                words[0] = value;
            } else {
                words.push(format!("{name}={value}"));
            }
        }
        self.visit_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn limit(json: &str) -> Result<Limit, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_limit_is_a_text_or_a_table() {
        let reports = Limit::token_bucket(20, SECOND * 3600).burst(5);
        for json in [
            r#""token_bucket count=20 time=1h burst=5""#,
            r#"{ "algorithm": "token_bucket", "count": 20, "time": "1h", "burst": 5 }"#,
            r#"{ "burst": "5", "time": 3600, "count": 20, "algorithm": "token_bucket" }"#,
            r#"{ "burst": "5", "time": "3600", "count": "20", "algorithm": "token_bucket" }"#,
        ] {
            assert_eq!(limit(json), Ok(reports), "{json}");
        }
        assert_eq!(
            limit(r#"{ "count": 5, "time": 60, "wait": 2 }"#),
            Ok(Limit::counter(5, SECOND * 60).wait(SECOND * 2))
        );
        assert_eq!(
            limit(r#"{ "count": 9, "time": 1, "lease": "auto" }"#),
            Ok(Limit::counter(9, SECOND).lease_auto())
        );
        for block in [r#""1m,1h""#, r#"["1m", "1h"]"#, r#""60,3600""#] {
            let blocked = Limit::counter(5, SECOND).block(&[SECOND * 60, SECOND * 3600]);
            assert_eq!(limit(&format!(r#"{{ "count": 5, "time": 1, "block": {block} }}"#)), Ok(blocked));
        }
        assert_eq!(serde_json::to_string(&reports).unwrap(), r#""token_bucket count=20 time=1h burst=5""#);
    }

    #[test]
    fn a_limit_may_be_missing() {
        let read = |json: &str| Limit::deserialize_optional(&mut serde_json::Deserializer::from_str(json));
        for json in [r#""unlimited""#, "null", r#"{ "algorithm": "unlimited" }"#] {
            assert_eq!(read(json).unwrap(), None, "{json}");
        }
        let limit = Some(Limit::counter(5, SECOND));
        for json in [r#""counter count=5 time=1s""#, r#"{ "count": 5, "time": 1 }"#] {
            assert_eq!(read(json).unwrap(), limit, "{json}");
        }
        for json in [r#""unlimted""#, r#""unlimited count=5""#, "5"] {
            assert!(read(json).is_err(), "{json}");
        }
        for limit in [None, limit] {
            let written = Limit::serialize_optional(&limit, serde_json::value::Serializer).unwrap();
            assert_eq!(read(&written.to_string()).unwrap(), limit);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (json, says) in [
            (r#""counter count=5""#, "needs a `count` and a `time`"),
            (r#"{ "count": 5 }"#, "needs a `count` and a `time`"),
            (r#"{ "count": 5, "time": "1m", "brust": 5 }"#, "unknown field `brust=5`"),
            (r#"{ "count": 5, "time": "1m burst=9" }"#, "`time` must be one word or number"),
            (r#"{ "count": 5, "time": 0 }"#, "`time` must be at least 1 ms"),
            (r#"{ "count": -5, "time": 1 }"#, ""),
            (r#"{ "algorithm": "fixed", "count": 5, "time": 1 }"#, "unknown algorithm `fixed`"),
            (r#"{ "count": 5000000000, "time": 1 }"#, "`count=5000000000` must be at most 4294967295"),
            ("5", "a limit as text"),
        ] {
            let error = limit(json).unwrap_err();
            assert!(error.contains(says), "{json}: {error}");
        }
    }

    #[test]
    fn a_change_names_some_numbers_or_a_limit() {
        let read = |json: &str| serde_json::from_str::<LimitChange>(json).map_err(|error| error.to_string());
        let slower = LimitChange::new().count(50).time(SECOND * 60);
        assert_eq!(read(r#""count=50 time=1m""#), Ok(slower));
        assert_eq!(read(r#"{ "count": 50, "time": 60 }"#), Ok(slower));
        let whole = LimitChange::from(Limit::sliding_log(5, SECOND));
        assert_eq!(read(r#"{ "algorithm": "sliding_log", "count": 5, "time": 1 }"#), Ok(whole));
        assert!(read("{}").unwrap_err().contains("expected a change such as `count=50`"));
        assert_eq!(serde_json::to_string(&slower).unwrap(), r#""count=50 time=1m""#);
    }
}
