//! Grids, which divide time into equal parts, and the calls in each part.

use crate::simulate::numbers::index;
use crate::simulate::time;

/// Equal parts of a length of time. The last part may extend beyond that length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The length of a part in microseconds.
    pub(crate) width: u64,
    pub(crate) parts: u64,
}

impl Grid {
    /// The finest grid whose parts have a round length, and of which at most `most` parts cover the length.
    pub(crate) fn covering(length: u64, most: u64) -> Self {
        let width = time::step(length, most);
        Self { width, parts: length.div_ceil(width) }
    }

    /// The length of all parts in microseconds.
    pub(crate) fn length(self) -> u64 {
        self.width * self.parts
    }

    fn part(self, at: u64) -> usize {
        index(at / self.width)
    }
}

/// The decisions of one limit in each part of a grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) grid: Grid,
    /// The number of offered calls in each part, by the time of their arrival.
    pub(crate) offered: Vec<u64>,
    /// The number of admitted calls in each part, by the time of their start.
    pub(crate) admitted: Vec<u64>,
    /// The number of refused calls in each part, by the time of their arrival.
    pub(crate) refused: Vec<u64>,
    /// The number of admitted calls that start after the end of the grid, because they wait.
    pub(crate) later: u64,
}

impl Series {
    pub(super) fn new(grid: Grid) -> Self {
        let [offered, admitted, refused] = [(); 3].map(|()| vec![0; index(grid.parts)]);
        Self { grid, offered, admitted, refused, later: 0 }
    }

    pub(super) fn offer(&mut self, at: u64) {
        add(&mut self.offered, self.grid.part(at));
    }

    pub(super) fn admit(&mut self, start: u64) {
        if !add(&mut self.admitted, self.grid.part(start)) {
            self.later += 1;
        }
    }

    pub(super) fn refuse(&mut self, at: u64) {
        add(&mut self.refused, self.grid.part(at));
    }
}

fn add(parts: &mut [u64], at: usize) -> bool {
    let Some(part) = parts.get_mut(at) else { return false };
    *part += 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{MINUTE, SECOND};

    #[test]
    fn calls_are_counted_in_their_parts() {
        let grid = Grid::covering(10 * MINUTE, 60);
        assert_eq!(grid, Grid { width: 10 * SECOND, parts: 60 });
        let mut series = Series::new(grid);
        series.offer(10 * SECOND);
        series.admit(0);
        series.admit(10 * SECOND - 1);
        series.admit(10 * SECOND);
        series.admit(10 * MINUTE);
        series.refuse(10 * MINUTE - 1);
        assert_eq!((series.admitted[0], series.admitted[1], series.later), (2, 1, 1));
        assert_eq!((series.offered[1], series.refused[59]), (1, 1));
    }
}
