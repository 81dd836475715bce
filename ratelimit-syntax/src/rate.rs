//! Translates the rates of other libraries: `"10/minute"`, `"5 per 2 hours"`.

use ratelimit_limit::rules::duration;

/// The arguments that mean the same rate in this library. `None` if the text is not a rate.
pub(crate) fn read(text: &str) -> Option<String> {
    let plain = text.to_lowercase().replace(" per ", "/");
    let (count, time) = plain.split_once('/')?;
    let count: u32 = count.trim().parse().ok()?;
    let time = time.trim();
    let (amount, unit) = time.split_at(time.find(|c: char| !c.is_ascii_digit())?);
    let amount = if amount.is_empty() { "1" } else { amount };
    let unit = duration::unit(unit.trim())?;
    Some(format!("time = \"{amount}{unit}\", count = {count}"))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn rates_are_taken_apart() {
        assert_eq!(read("10/minute").as_deref(), Some("time = \"1m\", count = 10"));
        assert_eq!(read("5 per 2 hours").as_deref(), Some("time = \"2h\", count = 5"));
        assert_eq!(read("100 / 15s").as_deref(), Some("time = \"15s\", count = 100"));
        for text in ["login", "a/b", "10/", "/minute", "10/month", "10/1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
