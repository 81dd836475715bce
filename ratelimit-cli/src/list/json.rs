//! The result of `list`, as JSON.

use super::aggregate::{Entry, Row};
use super::found::Found;
use crate::limits::Numbers;
use crate::output::milliseconds;
use ratelimit::Algorithm;
use ratelimit::overrides::KnownLimit;
use serde_json::{Value, json};

impl Found<'_> {
    pub(super) fn as_json(&self) -> Value {
        json!({
            "partial": !self.complete,
            "keys": self.aggregate.keys,
            "limits": self.aggregate.rows().map(|row| self.row(row)).collect::<Vec<_>>(),
            "limits_without_keys": self.idle.iter().map(|name| self.idle(name)).collect::<Vec<_>>(),
            "keys_of_other_names": self.aggregate.others,
            "foreign_keys": self.aggregate.foreign,
        })
    }

    fn idle(&self, name: &str) -> Value {
        let met = self.limits.published(name);
        json!({
            "name": name,
            "limit": met.map(|met| met.in_code().to_string()),
            "varies": met.is_some_and(KnownLimit::varies),
            "version": met.and_then(KnownLimit::service_version),
            "override": self.limits.change_of_name(name).map(ToString::to_string),
        })
    }

    fn row(&self, row: &Row) -> Value {
        let name = row.example.name();
        let overrides = self.of_keys(name).into_iter();
        let overrides = overrides.map(|(who, change)| json!({ "identity": who, "change": change }));
        let mut value = self.idle(name);
        value["limit"] = self.numbers(row).and_then(Numbers::known).map(|limit| limit.to_string()).into();
        value["algorithm"] = row.example.algorithm().map(Algorithm::as_str).into();
        value["format"] = row.example.format().into();
        value["identity_overrides"] = overrides.collect();
        value["keys"] = row.keys.into();
        value["units"] = row.units.into();
        value["at_limit"] = (row.known > 0).then_some(row.at_limit).into();
        value["longest_ttl_ms"] = milliseconds(row.longest_ttl).into();
        value["keys_without_ttl"] = row.without_ttl.into();
        value["largest"] = row.largest.iter().map(entry).collect();
        value
    }
}

fn entry(entry: &Entry) -> Value {
    let mut value = entry.usage.as_json();
    value["identity"] = entry.identity[..].into();
    value["ttl_ms"] = entry.ttl.milliseconds().into();
    value
}
