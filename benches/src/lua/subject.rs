//! A subject of the measurement: the calls that it makes, and the cost with which it is compared.

use super::inputs::Inputs;
use redis::{Cmd, Script, Value};

/// The table that contains a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One request per call, with the script for single requests.
    Single,
    /// One request per call, with `decide`, the script of batches.
    ByDecide,
    /// Several requests per call, each with its own key.
    Batch,
    /// Several equal requests on one key per call.
    Merged,
}

/// A goal: the highest ratio to the cost of another subject.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) beside: &'static str,
    pub(crate) ratio: f64,
}

type Make = dyn Fn(&mut Inputs) -> Cmd;

/// A command or script that is measured.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_ours: bool,
    /// Subjects with the same space use the same keys.
    pub(crate) space: &'static str,
    /// The number of decisions in one call.
    pub(crate) decisions: usize,
    pub(crate) goal: Option<Goal>,
    /// The script, which is loaded into the server before the first call.
    pub(crate) script: Option<Script>,
    make: Box<Make>,
    /// Returns whether a reply admits the call. A refusal costs less, so it must not be measured.
    pub(crate) passed: fn(&Value) -> bool,
}

impl Subject {
    /// Returns a subject that sends a plain command.
    pub(crate) fn command(
        name: &str,
        space: &'static str,
        make: fn(&mut Inputs) -> Cmd,
        passed: fn(&Value) -> bool,
    ) -> Self {
        Self::new(name.to_owned(), space, None, Box::new(make), passed)
    }

    /// Returns a subject that calls a script by its digest. `fill` adds the number of keys, the keys and the arguments.
    pub(crate) fn script(
        name: impl Into<String>,
        space: &'static str,
        text: &str,
        fill: impl Fn(&mut Cmd, &mut Inputs) + 'static,
        passed: fn(&Value) -> bool,
    ) -> Self {
        let script = Script::new(text);
        let digest = script.get_hash().to_owned();
        let make = Box::new(move |inputs: &mut Inputs| {
            let mut command = redis::cmd("EVALSHA");
            command.arg(&digest);
            fill(&mut command, inputs);
            command
        });
        Self::new(name.into(), space, Some(script), make, passed)
    }

    fn new(
        name: String,
        space: &'static str,
        script: Option<Script>,
        make: Box<Make>,
        passed: fn(&Value) -> bool,
    ) -> Self {
        let (kind, is_ours, decisions, goal) = (Kind::Single, false, 1, None);
        Self { name, kind, is_ours, space, decisions, goal, script, make, passed }
    }

    pub(crate) fn call(&self, inputs: &mut Inputs) -> Cmd {
        (self.make)(inputs)
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

    /// Returns the number of calls for a number of decisions. A subject with merged requests makes more calls, because one
    /// decision costs too little to be measured otherwise.
    pub(crate) fn calls(&self, decisions: usize) -> usize {
        let calls = decisions / self.decisions;
        if self.kind == Kind::Merged { calls.max(decisions / 8) } else { calls }
    }
}
