//! The plot: for each limit a panel with the admitted calls beside the offered ones, over the time.

use super::bars::round_up;
use super::panel::Panel;
use super::scene::{Area, End, Ink, Scene, Shape, Size};
use super::table::wrapped;
use crate::simulate::numbers::{count, float, index, whole};
use crate::simulate::report::{Report, Resolution};

/// The layout of a plot, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    /// The height of the axis of calls.
    pub(crate) height: f64,
}

impl Layout {
    /// For desktops, documents and files.
    pub(crate) const WIDE: Self = Self { width: 860.0, height: 96.0 };
    /// For phones.
    pub(crate) const NARROW: Self = Self { width: 360.0, height: 84.0 };

    fn is_narrow(self) -> bool {
        self.width < 600.0
    }
}

const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const EDGE: f64 = 16.0;
const LINE: f64 = 18.0;

/// Draws the plot of a report.
pub(crate) fn plot(report: &Report<'_>, layout: Layout) -> Scene {
    let description = format!("Admitted and offered calls over time. Traffic: {}.", report.traffic.words);
    let mut scene = Scene { width: layout.width, height: 0.0, description, shapes: Vec::new() };
    let mut y = title(&mut scene, report, layout);
    let top = round_up(report.most(Resolution::Files));
    for trial in &report.trials {
        y = heading(
            &mut scene,
            &[&format!("{}  {}", trial.letter, trial.limit), &trial.worst_words()],
            y,
            layout,
        );
        let area = Area { x: LEFT, y, width: layout.width - LEFT - RIGHT, height: layout.height };
        if let Some(series) = trial.series(Resolution::Files) {
            Panel { area, top, report, series }.draw(&mut scene);
        }
        y += layout.height + 28.0;
    }
    scene.write(&report.traffic.origin.axis(), (layout.width - RIGHT, y + 10.0), Ink::Pale, End::Right);
    scene.height = y + 22.0;
    let paper = Area { x: 0.0, y: 0.0, width: scene.width, height: scene.height };
    scene.shapes.insert(0, Shape::Area(Ink::Paper, paper));
    scene
}

/// Writes the title, the traffic and the legend. Returns the height that they take.
fn title(scene: &mut Scene, report: &Report<'_>, layout: Layout) -> f64 {
    let mut y = 28.0;
    let (size, words) = if layout.is_narrow() {
        (Size::Normal, "Admitted calls")
    } else {
        (Size::Title, "Admitted calls beside offered calls")
    };
    scene.write_bold(words, (EDGE, y), size);
    for line in wrapped(&report.traffic.words, letters(layout)) {
        y += LINE;
        scene.write(&line, (EDGE, y), Ink::Pale, End::Left);
    }
    y += LINE + 8.0;
    legend(scene, report, y, layout) + 8.0
}

/// Writes what the colors mean, and the unit of the axis.
fn legend(scene: &mut Scene, report: &Report<'_>, mut y: f64, layout: Layout) -> f64 {
    let unit = report.unit(Resolution::Files);
    let mut x = EDGE;
    let entries =
        [(Ink::Admitted, "admitted"), (Ink::Rest, "offered, but not admitted"), (Ink::Offered, "offered")];
    for (ink, words) in entries {
        let width = 34.0 + float(count(words.len())) * Size::Normal.letter();
        if x + width > layout.width && x > EDGE {
            (x, y) = (EDGE, y + LINE);
        }
        let height = if ink == Ink::Offered { 2.0 } else { 10.0 };
        scene.area(ink, Area { x, y: y - 4.0 - height / 2.0, width: 14.0, height });
        scene.write(words, (x + 20.0, y), Ink::Text, End::Left);
        x += width;
    }
    if layout.is_narrow() {
        y += LINE;
        scene.write(&unit, (EDGE, y), Ink::Pale, End::Left);
    } else {
        scene.write(&unit, (layout.width - RIGHT, y), Ink::Pale, End::Right);
    }
    y
}

/// Writes the limit and its worst window above a panel: on one line if they fit. Returns where the panel begins.
fn heading(scene: &mut Scene, [limit, worst]: &[&str; 2], mut y: f64, layout: Layout) -> f64 {
    y += LINE;
    let fits = limit.chars().count() + worst.chars().count() + 4 < letters(layout);
    for (at, line) in wrapped(limit, letters(layout)).into_iter().enumerate() {
        y += if at == 0 { 0.0 } else { LINE };
        // Wrapping has joined the spaces after the letter.
        scene.write_bold(&line, (EDGE, y), Size::Normal);
    }
    if fits {
        scene.write(worst, (layout.width - RIGHT, y), Ink::Text, End::Right);
    } else {
        y += LINE;
        scene.write(worst, (EDGE, y), Ink::Text, End::Left);
    }
    y + 12.0
}

/// The letters of normal size that fit on a line.
fn letters(layout: Layout) -> usize {
    index(whole((layout.width - 2.0 * EDGE) / Size::Normal.letter() - 0.5))
}
