//! Draws a run: the faults of the servers, then each process with its faults and calls. A line has its time and its words on the left,
//! and a bar. A line that breaks a promise is red on the left. The axis has equal distances between the moments at which something
//! happens.

#[path = "../../../examples/drawing.rs"]
#[allow(dead_code, reason = "a timeline needs a part of it")]
mod canvas;

use crate::history::{Happened, Outcome, Record};
use crate::schedule::{Event, Fault, Schedule};
use canvas::{Drawn, Lettering, NAME, NOTE, Paper, bar, drawing, write};
use plotters::style::RGBColor;
use std::collections::BTreeSet;
use std::error::Error;
use std::time::Duration;

const ADMITTED: RGBColor = RGBColor(26, 127, 55);
const REFUSED: RGBColor = RGBColor(191, 135, 0);
const UNKNOWN: RGBColor = RGBColor(207, 34, 46);
const DROPPED: RGBColor = RGBColor(140, 149, 159);
const FAULT: RGBColor = RGBColor(31, 35, 40);

/// The meaning of the colors.
const LEGEND: [(&str, RGBColor); 5] = [
    ("admitted", ADMITTED),
    ("refused", REFUSED),
    ("no decision", UNKNOWN),
    ("dropped", DROPPED),
    ("fault, change", FAULT),
];
const BROKEN: Lettering = Lettering { ink: UNKNOWN, ..NOTE };

/// In pixels.
const WORDS: i32 = 110;
const LEFT: i32 = 610;
const TOP: i32 = 140;
const LINE: i32 = 16;
const WIDTH: i32 = 1280;
/// Longer words would reach into the bars.
const LONGEST_WORDS: usize = 76;

/// The moments at which something happens, and their places.
struct Axis {
    moments: Vec<Duration>,
}

impl Axis {
    fn of(schedule: &Schedule, happened: &Happened) -> Self {
        let steps = schedule.steps.iter().map(|step| step.at);
        let calls = happened.calls.iter().flat_map(|record| [record.sent, record.ended]);
        let released = happened.calls.iter().filter_map(|record| record.released);
        let moments: BTreeSet<Duration> = steps.chain(calls).chain(released).collect();
        Self { moments: moments.into_iter().collect() }
    }

    fn place(&self, moment: Duration) -> i32 {
        let at = self.moments.partition_point(|known| *known < moment);
        let share = at * usize::try_from(WIDTH - LEFT - 20).unwrap_or(1) / self.moments.len().max(1);
        LEFT + i32::try_from(share).unwrap_or(0)
    }
}

/// Something in a row: its times, its color and its words.
struct Mark {
    row: usize,
    from: Duration,
    to: Duration,
    ink: RGBColor,
    words: String,
    /// Whether it breaks the promise that is shown.
    breaks: bool,
}

/// Returns the drawing as the text of an SVG file.
pub(crate) fn draw(
    schedule: &Schedule,
    happened: &Happened,
    broken: &[String],
) -> Result<String, Box<dyn Error>> {
    let axis = Axis::of(schedule, happened);
    let first = broken.first().map_or("no promise is broken", String::as_str);
    let breaks = |step: usize| first.contains(&format!("step {step} "));
    let of_record = |record: &Record| Mark { breaks: breaks(record.step), ..of_call(record) };
    let mut marks: Vec<Mark> = happened.calls.iter().map(of_record).collect();
    let steps = schedule.steps.iter().enumerate();
    marks.extend(steps.filter(|(_, step)| !matches!(step.event, Event::Call(_))).map(|(number, step)| {
        let mark = match &step.event {
            Event::Fault(fault) => of_fault(*fault, step.at),
            event => of_event(event, step.at),
        };
        Mark { breaks: breaks(number), ..mark }
    }));
    marks.sort_by_key(|mark| (mark.row, mark.from));
    let height = TOP + LINE * i32::try_from(marks.len()).unwrap_or(0) + 40;
    let title = format!("Seed {}: a fleet of {}", schedule.seed, schedule.processes);
    let limits: Vec<String> = schedule.limits.iter().map(ToString::to_string).collect();
    let below = format!("{}; {:?}\n{first}", limits.join("; "), schedule.layout);
    drawing((WIDTH, height), [&title, &below], |paper| draw_marks(paper, &axis, &marks))
}

fn draw_marks(paper: &Paper<'_>, axis: &Axis, marks: &[Mark]) -> Drawn {
    for (x, (words, ink)) in (LEFT..).step_by(120).zip(LEGEND) {
        bar(paper, (x, TOP - 34), (12, 8), ink)?;
        write(paper, words, (x + 18, TOP - 30), NOTE)?;
    }
    let mut last_row = None;
    for (y, mark) in (TOP..).step_by(LINE.unsigned_abs() as usize).zip(marks) {
        if last_row != Some(mark.row) {
            let name = if mark.row == 0 { "servers".to_owned() } else { format!("process {}", mark.row - 1) };
            write(paper, &name, (16, y + 6), NAME)?;
            last_row = Some(mark.row);
        }
        let (from, to) = (axis.place(mark.from), axis.place(mark.to));
        bar(paper, (from, y + 2), ((to - from).max(3), 8), mark.ink)?;
        let mut words = format!("{:.3} s  {}", mark.from.as_secs_f64(), mark.words);
        if words.chars().count() > LONGEST_WORDS {
            words = words.chars().take(LONGEST_WORDS - 2).chain("..".chars()).collect();
        }
        write(paper, &words, (WORDS, y + 6), if mark.breaks { BROKEN } else { NOTE })?;
    }
    Ok(())
}

fn of_call(record: &Record) -> Mark {
    let ink = match record.outcome {
        Outcome::Admitted => ADMITTED,
        Outcome::Refused(_) => REFUSED,
        Outcome::Unknown(_) => UNKNOWN,
        Outcome::Dropped => DROPPED,
    };
    let call = record.call;
    let words = format!("limit {} caller {} {:?} x{}", call.limit, call.who, call.kind, call.cost);
    Mark {
        row: record.number + 1,
        from: record.sent,
        to: record.released.unwrap_or(record.ended),
        ink,
        words,
        breaks: false,
    }
}

fn of_event(event: &Event, at: Duration) -> Mark {
    let (row, words) = match event {
        Event::Change(change) => (change.process + 1, format!("{:?} of limit {}", change.how, change.limit)),
        Event::Retire(process) => (process + 1, "Retire".to_owned()),
        event => (0, format!("{event:?}")),
    };
    Mark { row, from: at, to: at, ink: FAULT, words, breaks: false }
}

fn of_fault(fault: Fault, at: Duration) -> Mark {
    let (row, lasts) = match fault {
        Fault::Link { process, .. } | Fault::Kill(process) => (process + 1, Duration::ZERO),
        Fault::Silence { process, time, .. } => (process + 1, time),
        Fault::Stall(_, time)
        | Fault::Reject(_, _, time)
        | Fault::Restart { down: time, .. }
        | Fault::Move { time, .. } => (0, time),
        Fault::ForgetScripts(_) | Fault::Clock { .. } | Fault::FailOver { .. } => (0, Duration::ZERO),
    };
    Mark { row, from: at, to: at + lasts, ink: FAULT, words: format!("{fault:?}"), breaks: false }
}
