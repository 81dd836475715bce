//! Changes members of a JSON text. Every other byte stays as it is.

use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// A JSON text, and one level of its indentation. Without an indentation, the text has one line.
pub(super) struct Json {
    pub(super) text: String,
    indent: Option<String>,
}

impl Json {
    pub(super) fn new(text: String) -> Self {
        let indent = text.split_once('{').and_then(|(_, rest)| {
            let line = rest.trim_start_matches('\r').strip_prefix('\n')?;
            Some(line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect())
        });
        Self { text, indent }
    }

    /// Sets the value at a path of names. Adds the objects that are missing on the way, and new members behind all others.
    ///
    /// # Errors
    ///
    /// If a value on the way is not an object.
    pub(super) fn set(&mut self, path: &[&str], mut value: Value) -> Result<(), String> {
        let mut at = 0..self.text.len();
        for (depth, name) in path.iter().enumerate() {
            let members = self.members(&at, &path[..depth])?;
            if let Some(found) = members.get(*name) {
                at = found.clone();
                continue;
            }
            for name in path[depth + 1..].iter().rev() {
                value = json!({ *name: value });
            }
            let separator = if self.indent.is_some() { ": " } else { ":" };
            let member = self.line(depth + 1)
                + &json!(name).to_string()
                + separator
                + &self.written(&value, depth + 1);
            match members.values().map(|found| found.end).max() {
                Some(last) => self.text.insert_str(last, &format!(",{member}")),
                None => self.text.replace_range(at, &format!("{{{member}{}}}", self.line(depth))),
            }
            return Ok(());
        }
        let written = self.written(&value, path.len());
        self.text.replace_range(at, &written);
        Ok(())
    }

    /// Removes the member at a path, if it exists. An object without members stays.
    pub(super) fn remove(&mut self, path: &[&str]) -> Result<(), String> {
        let mut around = 0..self.text.len();
        let mut found = around.clone();
        for depth in 0..path.len() {
            around = found;
            match self.members(&around, &path[..depth])?.remove(path[depth]) {
                Some(next) => found = next,
                None => return Ok(()),
            }
        }
        let siblings = self.members(&around, path)?;
        let before = siblings.values().map(|other| other.end).filter(|end| *end < found.start).max();
        let removed = match (before, self.text[found.end..around.end].find(',')) {
            (Some(before), _) => before..found.end,
            (None, Some(comma)) if siblings.len() > 1 => around.start + 1..found.end + comma + 1,
            _ => around.start + 1..around.end - 1,
        };
        self.text.replace_range(removed, "");
        Ok(())
    }

    /// The members of the object at this place of the text, each with the place of its value.
    fn members(&self, at: &Range<usize>, path: &[&str]) -> Result<BTreeMap<String, Range<usize>>, String> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(&self.text[at.clone()])
            .map_err(|error| format!("`{}` is not an object: {error}", path.join(".")))?;
        let start = |value: &RawValue| value.get().as_ptr().addr() - self.text.as_ptr().addr();
        let place = |value: &RawValue| start(value)..start(value) + value.get().len();
        Ok(members.into_iter().map(|(name, value)| (name, place(value))).collect())
    }

    fn line(&self, depth: usize) -> String {
        self.indent.as_ref().map_or_else(String::new, |indent| format!("\n{}", indent.repeat(depth)))
    }

    fn written(&self, value: &Value, depth: usize) -> String {
        let Some(indent) = &self.indent else { return value.to_string() };
        let mut text = Vec::new();
        let formatter = PrettyFormatter::with_indent(indent.as_bytes());
        // A value is always writable, and its text is UTF-8 without line breaks inside of strings.
        let _ = serde::Serialize::serialize(value, &mut Serializer::with_formatter(&mut text, formatter));
        String::from_utf8_lossy(&text).replace('\n', &self.line(depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_member_changes() {
        for text in [
            "{\n  \"a\": {\n    \"b\": [1e3, 0.10],\n    \"c\": {}\n  },\n  \"z\": \"\\u00e9\"\n}\n",
            "{\"a\":{\"b\" :[1e3,0.10],\"c\":{}},\"z\":\"\\/\"}",
            "{\n\t\"a\": { \"c\": {} }\n}",
        ] {
            let mut json = Json::new(text.to_owned());
            json.set(&["a", "new", "deep"], json!({ "x": [1] })).unwrap();
            json.set(&["a", "c", "first"], json!(1)).unwrap();
            json.set(&["a", "c", "first"], json!("changed")).unwrap();
            let mut expected: Value = serde_json::from_str(text).unwrap();
            expected["a"]["new"]["deep"] = json!({ "x": [1] });
            expected["a"]["c"] = json!({ "first": "changed" });
            assert_eq!(serde_json::from_str::<Value>(&json.text).unwrap(), expected, "{}", json.text);
            json.remove(&["a", "c", "first"]).unwrap();
            json.remove(&["a", "new"]).unwrap();
            json.remove(&["nobody"]).unwrap();
            assert_eq!(json.text, text);
        }
        let mut json = Json::new("{\"a\": 1, \"b\": 2}".to_owned());
        assert!(json.set(&["a", "b"], json!(1)).unwrap_err().starts_with("`a` is not an object"));
        json.remove(&["a"]).unwrap();
        assert_eq!(json.text, "{ \"b\": 2}");
    }
}
