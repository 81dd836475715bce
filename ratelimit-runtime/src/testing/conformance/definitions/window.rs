//! Sliding window: two neighboring cells. Of the earlier cell's units, a share counts: the share of this cell that the window
//! still covers.

use super::{Numbers, Turns, saturated};

#[derive(Clone, Debug)]
pub(super) struct Window {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    /// The start of the first cell in ms. It has no meaning if there are no cells.
    origin: u64,
    /// The units that were charged in each cell from `origin` on. The last cell has a charge.
    cells: Vec<u32>,
}

impl Window {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, origin: 0, cells: Vec::new() }
    }

    fn cell_at(&self, time: u64) -> usize {
        usize::try_from((time - self.origin) / self.numbers.time).unwrap()
    }

    fn begin(&self, cell: usize) -> u64 {
        self.origin + u64::try_from(cell).unwrap() * self.numbers.time
    }

    fn end(&self, cell: usize) -> u64 {
        self.begin(cell) + self.numbers.time
    }

    fn charged_in(&self, cell: usize) -> u32 {
        self.cells.get(cell).copied().unwrap_or(0)
    }

    fn charged_before(&self, cell: usize) -> u32 {
        cell.checked_sub(1).map_or(0, |before| self.charged_in(before))
    }

    /// The later of two cells: the cell with the last charge, and the current cell.
    fn last(&self) -> Option<usize> {
        (!self.cells.is_empty()).then(|| self.cell_at(self.now).max(self.cells.len() - 1))
    }

    /// Whether the cell begins later than any call can wait, because a long pause has moved it.
    fn is_too_far(&self, cell: usize) -> bool {
        self.end(cell) - self.now > self.numbers.time + self.numbers.wait
    }

    fn is_ahead(&self, cell: usize) -> bool {
        self.begin(cell) > self.now
    }

    /// `count` minus the units that count in this cell at this time, rounded down.
    fn free(&self, cell: usize, time: u64) -> i64 {
        let share = u128::from(self.charged_before(cell)) * u128::from(self.end(cell) - time);
        let before = i64::try_from(share.div_ceil(self.numbers.time.into())).unwrap();
        i64::from(self.numbers.count) - i64::from(self.charged_in(cell)) - before
    }

    /// The first ms at which the cost fits into this cell. This ms may be the end of the cell. `None` if the cell has no room for
    /// the cost.
    fn first_fit(&self, cell: usize, cost: u32) -> Option<u64> {
        let from = self.begin(cell).max(self.now);
        let room = i128::from(self.numbers.count) - i128::from(self.charged_in(cell)) - i128::from(cost);
        let room = u128::try_from(room).ok()?;
        let at = match u128::from(self.charged_before(cell)) {
            0 => from,
            before => {
                let covered = room * u128::from(self.numbers.time) / before;
                from.max(self.end(cell).saturating_sub(u64::try_from(covered).unwrap()))
            }
        };
        Some(at)
    }

    /// The time of the turn for this cost, and its cell. If the last cell has room before its end, the turn is in the last cell,
    /// otherwise in the next cell.
    fn place(&self, cost: u32) -> (u64, usize) {
        let Some(last) = self.last() else { return (self.now, 0) };
        if cost == 0 && self.is_too_far(last) {
            return (self.now, last);
        }
        match self.first_fit(last, cost) {
            Some(at) if at < self.end(last) => (at, last),
            _ => (self.first_fit(last + 1, cost).unwrap(), last + 1),
        }
    }

    fn put(&mut self, cell: usize, units: u32) {
        if self.cells.is_empty() {
            self.origin = self.now;
        }
        self.cells.resize(self.cells.len().max(cell + 1), 0);
        self.cells[cell] += units;
    }
}

impl Turns for Window {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        self.now = now / 1000;
        // The last cell stops counting one `time` after its end.
        if !self.cells.is_empty() && self.now >= self.end(self.cells.len()) {
            self.cells.clear();
        }
    }

    fn turn(&self, cost: u32) -> u64 {
        self.place(cost).0 - self.now
    }

    fn remaining(&self) -> u32 {
        match self.last() {
            None => self.numbers.count,
            Some(last) if self.is_ahead(last) => 0,
            Some(last) => saturated(self.free(last, self.now).into()),
        }
    }

    fn reset_after(&self) -> u64 {
        if self.cells.is_empty() { 0 } else { self.end(self.cells.len()) - self.now }
    }

    fn charge(&mut self, cost: u32) -> u64 {
        let (_, cell) = self.place(cost);
        self.put(cell, cost);
        self.end(cell) + self.numbers.time
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let Some(last) = self.last() else { return 0 };
        let is_of = |cell| self.end(cell) + self.numbers.time == stamp;
        let cell = match last.checked_sub(1) {
            _ if is_of(last) => last,
            Some(before) if !self.is_ahead(last) && is_of(before) => before,
            _ => return 0,
        };
        let back = units.min(self.charged_in(cell));
        if back > 0 {
            self.cells[cell] -= back;
        }
        back
    }

    fn room(&self) -> i64 {
        match self.last() {
            None => self.numbers.count.into(),
            Some(last) if self.is_ahead(last) => self.free(last, self.begin(last)).min(0),
            Some(last) => self.free(last, self.now),
        }
    }

    fn charge_at(&mut self, cost: u32, turn: u64) -> u64 {
        match self.last() {
            Some(last) if self.end(last) <= self.now + turn => {
                self.put(last + 1, cost);
                self.end(last + 1) + self.numbers.time
            }
            _ => self.charge(cost),
        }
    }

    fn use_up(&mut self, ms: u64) {
        let end = self.now + ms;
        // Nothing changes if the last cell with a charge ends at the same time or later.
        if !self.cells.is_empty() && self.end(self.cells.len() - 1) >= end {
            return;
        }
        let cells = usize::try_from(ms.div_ceil(self.numbers.time)).unwrap();
        self.origin = end - u64::try_from(cells).unwrap() * self.numbers.time;
        self.cells = vec![0; cells];
        self.cells[cells - 1] = self.numbers.count;
    }

    fn force(&mut self, units: u32) {
        // If a long pause has moved the last cell too far into the future, the last cell is moved back so that it begins now.
        if let Some(last) = self.last()
            && self.is_too_far(last)
        {
            self.cells = vec![self.charged_in(last)];
            self.origin = self.now;
        }
        self.put(self.last().unwrap_or(0), units);
    }

    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }
}
