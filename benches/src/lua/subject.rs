//! What is measured: a command, how it is told from a refusal, and what it is compared with.

use super::draw::Draw;
use redis::{Cmd, Script, Value};

/// Where a subject stands in the report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One request per call.
    Lone,
    /// One request per call, by the script of batches.
    Driven,
    /// Several requests per call, each of its own key.
    Batch,
    /// Several equal requests on one key per call.
    Merged,
}

/// What another subject costs, and how much of that is allowed.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) beside: &'static str,
    pub(crate) ratio: f64,
}

type Make = dyn Fn(&mut Draw) -> Cmd;

pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_ours: bool,
    /// Subjects of one space work on the same keys.
    pub(crate) space: &'static str,
    /// Decisions in one call.
    pub(crate) decisions: usize,
    pub(crate) goal: Option<Goal>,
    /// Loaded into the server before the first call.
    pub(crate) script: Option<Script>,
    make: Box<Make>,
    /// A refusal does less than a decision that passes, and would flatter its subject.
    pub(crate) passed: fn(&Value) -> bool,
}

impl Subject {
    /// A plain command.
    pub(crate) fn command(
        name: &str,
        space: &'static str,
        make: fn(&mut Draw) -> Cmd,
        passed: fn(&Value) -> bool,
    ) -> Self {
        let make = Box::new(make);
        Self {
            name: name.to_owned(),
            kind: Kind::Lone,
            is_ours: false,
            space,
            decisions: 1,
            goal: None,
            script: None,
            make,
            passed,
        }
    }

    /// One call of a script by its digest; `fill` adds the number of keys, the keys and the arguments.
    pub(crate) fn script(
        name: impl Into<String>,
        space: &'static str,
        text: &str,
        fill: impl Fn(&mut Cmd, &mut Draw) + 'static,
        passed: fn(&Value) -> bool,
    ) -> Self {
        let script = Script::new(text);
        let digest = script.get_hash().to_owned();
        let make = Box::new(move |draw: &mut Draw| {
            let mut command = redis::cmd("EVALSHA");
            command.arg(&digest);
            fill(&mut command, draw);
            command
        });
        Self {
            name: name.into(),
            kind: Kind::Lone,
            is_ours: false,
            space,
            decisions: 1,
            goal: None,
            script: Some(script),
            make,
            passed,
        }
    }

    pub(crate) fn call(&self, draw: &mut Draw) -> Cmd {
        (self.make)(draw)
    }

    pub(crate) fn ours(self) -> Self {
        Self { is_ours: true, ..self }
    }

    pub(crate) fn several(mut self, kind: Kind, decisions: usize) -> Self {
        (self.kind, self.decisions) = (kind, decisions);
        self
    }

    pub(crate) fn at_most(mut self, ratio: f64, beside: &'static str) -> Self {
        self.goal = Some(Goal { beside, ratio });
        self
    }

    /// Enough calls for so many decisions. Merged ones cost next to nothing each: there are more, for a time that can
    /// be measured.
    pub(crate) fn calls(&self, decisions: usize) -> usize {
        let calls = decisions / self.decisions;
        if self.kind == Kind::Merged { calls.max(decisions / 8) } else { calls }
    }
}
