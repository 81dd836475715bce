//! Executes a command: checks the server's role and troubles before the command uses the keys.

use super::keyspace::Bytes;
use super::referee::Judged;
use super::reply::Reply;
use super::slots::Slots;
use super::{Client, State, Trouble, commands, scripts};
use std::time::Duration;
use tokio::time::Instant;

impl State {
    pub(super) fn set_time(&mut self) {
        let passed = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.keys.now = (self.epoch + passed).saturating_add_signed(self.clock_offset);
    }

    pub(super) fn execute(&mut self, client: &mut Client, words: &[Bytes]) -> Reply {
        self.set_time();
        self.executed += 1;
        self.show(words);
        if may_change(words) {
            self.keep_past();
        }
        let Some((name, arguments)) = words.split_first() else { return Reply::error("ERR no command") };
        let is_asking = std::mem::take(&mut client.is_asking);
        let now = Instant::now();
        let trouble = self.trouble.filter(|(_, until)| now < *until).map(|(trouble, _)| trouble);
        self.keys.trouble = trouble.filter(|trouble| trouble.is_about_writes());
        self.keys.has_written = false;
        match &*name.to_ascii_uppercase() {
            b"AUTH" if trouble == Some(Trouble::WrongPassword) => {
                Reply::error("WRONGPASS invalid username-password pair or user is disabled.")
            }
            b"AUTH" => {
                client.has_password = true;
                Reply::OK
            }
            _ if trouble == Some(Trouble::WrongPassword) && !client.has_password => {
                Trouble::WrongPassword.reply()
            }
            b"HELLO" => self.role.hello(),
            b"PING" => Reply::Status("PONG"),
            b"CLIENT" | b"SELECT" => Reply::OK,
            b"SENTINEL" => self.role.named_primary(&client.host),
            b"ASKING" => {
                client.is_asking = true;
                Reply::OK
            }
            b"CLUSTER" => self.role.slots().map_or_else(|| Reply::error("ERR not a cluster"), Slots::ranges),
            name => {
                if let Some(elsewhere) = self.role.elsewhere(&mut self.keys, declared(words), is_asking) {
                    self.redirected += 1;
                    return elsewhere;
                }
                let rejects = |trouble: &Trouble| match trouble {
                    Trouble::WrongPassword | Trouble::Certificate => false,
                    Trouble::NoPermission => may_change(words),
                    other => !other.is_about_writes(),
                };
                match trouble.filter(rejects) {
                    Some(trouble) => trouble.reply(),
                    None => self.decide(name, arguments, words),
                }
            }
        }
    }

    fn decide(&mut self, name: &[u8], arguments: &[Bytes], words: &[Bytes]) -> Reply {
        match (name, arguments) {
            (b"EVALSHA", [digest, rest @ ..]) => {
                let digest = String::from_utf8_lossy(digest).into_owned();
                if !self.scripts.contains(&digest) {
                    return Reply::error("NOSCRIPT No matching script. Please use EVAL.");
                }
                self.run(&digest, rest)
            }
            (b"EVAL", [text, rest @ ..]) => {
                let digest = scripts::digest(text);
                if let Err(error) = scripts::compile(&digest, text) {
                    return error;
                }
                self.scripts.insert(digest.clone());
                let reply = self.run(&digest, rest);
                self.note_expiring(rest, &reply);
                reply
            }
            (b"HSET", [key, field, text, ..]) if key.ends_with(b"overrides") => {
                let reply = commands::execute(&mut self.keys, words);
                if !matches!(reply, Reply::Error(_)) {
                    self.overrides.push((Instant::now(), field.clone(), text.clone(), None));
                }
                reply
            }
            (b"DEL", keys) => {
                let reply = commands::execute(&mut self.keys, words);
                if !matches!(reply, Reply::Error(_)) {
                    self.keys.referee.forget(|key| keys.iter().any(|deleted| deleted == key));
                }
                reply
            }
            _ => commands::execute(&mut self.keys, words),
        }
    }

    /// Notes an override that expires, because a script stores it.
    fn note_expiring(&mut self, words: &[Bytes], reply: &Reply) {
        if let ([_, key, field, text, ms, ..], Reply::Integer(_)) = (words, reply)
            && key.ends_with(b"overrides")
            && let Some(change) = text.strip_suffix(b" until=")
        {
            let ms = String::from_utf8_lossy(ms).parse().ok().map(Duration::from_millis);
            self.overrides.push((Instant::now(), field.clone(), change.to_vec(), ms));
        }
    }

    fn show(&mut self, words: &[Bytes]) {
        if let Some(shown) = &mut self.shown {
            let word = |word: &Bytes| String::from_utf8_lossy(&word[..word.len().min(24)]).into_owned();
            let words: Vec<String> = words.iter().map(word).collect();
            shown.push((Instant::now(), words.join(" ").escape_debug().to_string()));
        }
    }

    fn run(&mut self, digest: &str, words: &[Bytes]) -> Reply {
        let Some((number, words)) = words.split_first() else { return Reply::error("ERR no number of keys") };
        let number = String::from_utf8_lossy(number).parse().unwrap_or(0).min(words.len());
        let (names, arguments) = words.split_at(number);
        self.keys.guard = self.role.slots().filter(|_| number == 0).cloned();
        let reply = scripts::run(&mut self.keys, digest, names, arguments);
        self.keys.guard = None;
        let (has_written, refuses_writes) = (self.keys.has_written, self.keys.trouble.is_some());
        let call = Judged { digest, names, arguments, reply: &reply, has_written, refuses_writes };
        self.misjudged.extend(self.keys.referee.judge(self.keys.now, &call));
        reply
    }
}

/// Whether a command may write.
pub(super) fn may_change(words: &[Bytes]) -> bool {
    words.first().is_some_and(|name| name.starts_with(b"EVAL") || name == b"HSET")
}

/// The keys that a command declares.
fn declared(words: &[Bytes]) -> &[Bytes] {
    match words {
        [name, _, number, names @ ..] if name.starts_with(b"EVAL") => {
            let number = String::from_utf8_lossy(number).parse().unwrap_or(0);
            &names[..names.len().min(number)]
        }
        [_, key, ..] => std::slice::from_ref(key),
        _ => &[],
    }
}
