//! A panel of the plot: one limit, its bars, the line of the offered calls, and the axes.

use super::bars::short;
use super::scene::{Area, End, Ink, Scene, Shape};
use crate::simulate::engine::Series;
use crate::simulate::numbers::{float, whole};
use crate::simulate::report::{Report, Resolution};
use crate::simulate::time;

pub(super) struct Panel<'r> {
    /// The rectangle between the axes.
    pub(super) area: Area,
    /// The number of calls at the upper end.
    pub(super) top: u64,
    pub(super) report: &'r Report<'r>,
    pub(super) series: &'r Series,
}

impl Panel<'_> {
    pub(super) fn draw(&self, scene: &mut Scene) {
        self.heights(scene);
        let offered = &self.report.offered[Resolution::Files as usize];
        let rest: Vec<u64> = offered
            .iter()
            .zip(&self.series.admitted)
            .map(|(all, some)| if all > some { *all } else { 0 })
            .collect();
        scene.shapes.push(Shape::Skyline(Ink::Rest, self.bars(&rest)));
        scene.shapes.push(Shape::Steps { ink: Ink::Offered, width: 1.0, points: self.steps(offered) });
        scene.shapes.push(Shape::Skyline(Ink::Admitted, self.bars(&self.series.admitted)));
        self.times(scene);
    }

    /// The lines and numbers of the axis of calls.
    fn heights(&self, scene: &mut Scene) {
        let parts = if self.top.is_multiple_of(2) { 2 } else { 1 };
        for part in 0..=parts {
            let value = self.top * part / parts;
            let y = self.y(value);
            let Area { x, width, .. } = self.area;
            if part > 0 {
                scene.area(Ink::Grid, Area { x, y: y - 0.5, width, height: 1.0 });
            }
            scene.write(&short(value), (x - 6.0, y + 4.0), Ink::Pale, End::Right);
        }
    }

    /// The axis of time, with ticks and labels.
    fn times(&self, scene: &mut Scene) {
        let Area { x, y, width, height } = self.area;
        let (origin, length) = (self.report.traffic.origin, self.series.grid.length());
        scene.area(Ink::Pale, Area { x, y: y + height - 0.5, width, height: 1.0 });
        let most = whole(width / 84.0).max(2);
        let step = time::step(length, most);
        let mut at = origin.first_tick(step);
        while at <= length {
            let place = self.x(at);
            scene.area(Ink::Pale, Area { x: place - 0.5, y: y + height, width: 1.0, height: 4.0 });
            let label = origin.label(at, step);
            let end = if place > x + width - 12.0 { End::Right } else { End::Middle };
            let shift = if end == End::Right { 6.0 } else { 0.0 };
            scene.write(&label, (place + shift, y + height + 17.0), Ink::Pale, end);
            at += step;
        }
    }

    /// One rectangle for each run of equal values that are not zero.
    fn bars(&self, values: &[u64]) -> Vec<Area> {
        let bottom = self.y(0);
        let runs = runs(values).into_iter().filter(|run| run.value > 0);
        runs.map(|Run { from, to, value }| {
            let (x, y) = (self.x(self.start(from)), self.y(value));
            Area { x, y, width: self.x(self.start(to)) - x, height: bottom - y }
        })
        .collect()
    }

    fn steps(&self, values: &[u64]) -> Vec<(f64, f64)> {
        let points = runs(values).into_iter().flat_map(|Run { from, to, value }| {
            let y = self.y(value);
            [(self.x(self.start(from)), y), (self.x(self.start(to)), y)]
        });
        points.collect()
    }

    fn start(&self, part: u64) -> u64 {
        part * self.series.grid.width
    }

    fn x(&self, at: u64) -> f64 {
        self.area.x + self.area.width * float(at) / float(self.series.grid.length())
    }

    fn y(&self, value: u64) -> f64 {
        self.area.y + self.area.height * (1.0 - float(value) / float(self.top))
    }
}

/// Equal values side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    from: u64,
    /// The part after the last one.
    to: u64,
    value: u64,
}

fn runs(values: &[u64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (from, value) in (0..).zip(values) {
        match runs.last_mut() {
            Some(run) if run.value == *value => run.to = from + 1,
            _ => runs.push(Run { from, to: from + 1, value: *value }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_become_one_run() {
        let found: Vec<_> =
            runs(&[3, 3, 0, 5]).into_iter().map(|run| (run.from, run.to, run.value)).collect();
        assert_eq!(found, [(0, 2, 3), (2, 3, 0), (3, 4, 5)]);
    }
}
