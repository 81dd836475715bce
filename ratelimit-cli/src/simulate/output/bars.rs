//! Bars of Unicode blocks: solid blocks for admitted calls, and a shade above them for the other offered calls.

use crate::output::{Output, Style};
use crate::simulate::numbers::{float, index, whole};

/// The blocks with 0 to 8 filled eighths, from below.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The blocks for admitted calls and for the other offered calls, in blue and yellow, which color-blind readers can tell apart.
pub(super) const ADMITTED: (char, Style) = ('█', Style::Accent);
pub(super) const REST: (char, Style) = ('░', Style::Warning);
const EMPTY: (char, Style) = (' ', Style::Plain);

/// The calls in one part of the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) admitted: u64,
    pub(super) offered: u64,
}

impl Bar {
    /// The cell of the bar in a row. Row 0 is the lowest of `rows`, and `top` is the value at the upper end. If a cell contains
    /// both kinds of calls, it shows the kind with more calls.
    fn cell(self, row: u64, rows: u64, top: u64) -> (char, Style) {
        let eighths = |value: u64| {
            let eighths = whole(float(value) * float(rows * 8) / float(top));
            if value > 0 { eighths.max(1) } else { 0 }
        };
        let within = |value: u64| index(eighths(value).saturating_sub(row * 8).min(8));
        match (within(self.admitted), within(self.offered)) {
            (0, rest) if rest >= 4 || (rest > 0 && row == 0) => REST,
            (0, _) => EMPTY,
            (solid, all) if row > 0 && all > 2 * solid => REST,
            (solid, _) => (BLOCKS[solid], ADMITTED.1),
        }
    }
}

/// A row of bars, each `width` characters wide.
pub(super) fn row(bars: &[Bar], row: u64, (rows, top): (u64, u64), width: usize, output: Output) -> String {
    let mut cells: Vec<_> = bars.iter().map(|bar| bar.cell(row, rows, top)).collect();
    while cells.pop_if(|cell| *cell == EMPTY).is_some() {}
    let runs = cells.chunk_by(|one, next| one.1 == next.1);
    runs.map(|run| {
        let text = run.iter().flat_map(|(symbol, _)| std::iter::repeat_n(*symbol, width));
        output.paint(text.collect::<String>(), run[0].1)
    })
    .collect()
}

/// The smallest round number that is at least `value`. Round numbers are 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60,
/// 80, and the last ten of these with more zeros.
pub(super) fn round_up(value: u64) -> u64 {
    const SMALL: [u64; 7] = [1, 2, 3, 4, 5, 6, 8];
    const LARGE: [u64; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
    let scales = (0..).map_while(|zeros| 10_u64.checked_pow(zeros));
    let large = scales.flat_map(|scale| LARGE.into_iter().filter_map(move |round| scale.checked_mul(round)));
    SMALL.into_iter().chain(large).find(|round| *round >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_eighths_of_a_cell() {
        let bars = [(0, 0), (1, 1), (4, 16), (8, 8), (12, 16), (0, 1)];
        let bars = bars.map(|(admitted, offered)| Bar { admitted, offered });
        let rows = [1, 0].map(|at| row(&bars, at, (2, 16), 1, Output::plain()));
        assert_eq!(rows, ["  ░ ▄", " ▁▄██░"]);
        // The kind with more calls fills the whole cell, so that there is no gap.
        let sliver = Bar { admitted: 9, offered: 16 };
        assert_eq!([1, 0].map(|at| row(&[sliver], at, (2, 16), 1, Output::plain())), ["░", "█"]);
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([1, 3, 7, 9, 41, 199, 600, 12_345].map(round_up), [1, 3, 8, 10, 50, 200, 600, 15_000]);
        assert_eq!(round_up(u64::MAX), u64::MAX);
    }
}
