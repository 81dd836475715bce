//! Checks calendar windows: `time = "month"`, and `zone`.

use super::checker::Checker;
use super::literal::string;
use crate::model::{Algorithm, Time};
use ratelimit_limit::rules::{LimitError, Zone};
use syn::LitStr;

impl Checker<'_> {
    /// Reads the zone of a calendar window.
    pub(super) fn zone(&mut self, time: Option<&Time>) -> Option<LitStr> {
        let value = self.value("zone")?;
        let Some(text) = string(value) else {
            self.error(value, "`zone` must be an offset in quotes, as in `zone = \"+01:00\"`");
            return None;
        };
        if Zone::parse(&text.value()).is_none() {
            self.error(text, LimitError::ZONE_UNKNOWN);
        } else if !matches!(time, Some(Time::Calendar(..)))
            && self.arguments.complete
            && let Some(given) = self.given("zone")
        {
            self.error_on_name(given, LimitError::ZONE_WITHOUT_CALENDAR);
        }
        Some(text.clone())
    }

    /// Reports a calendar window of a limit that cannot have one.
    pub(super) fn check_takes_calendar(&mut self, algorithm: Algorithm, time: Option<&Time>) {
        let Some(Time::Calendar(_, span)) = time else { return };
        match algorithm.check_takes_calendar(self.given("wait").is_some()) {
            Err(violation @ LimitError::CALENDAR_ELSEWHERE) => self.error_at(*span, violation),
            Err(violation) => {
                if let Some(given) = self.given("wait") {
                    self.error_on_name(given, violation);
                }
            }
            Ok(()) => {}
        }
    }
}
