//! Bars of unicode blocks: admitted calls as solid blocks, and above them the rest of the offered calls as a shade.

use crate::simulate::numbers::{float, index, whole};

/// Colors of the terminal that differ for color-blind readers, too: blue and yellow.
pub(crate) struct Colors {
    pub(crate) admitted: &'static str,
    pub(crate) rest: &'static str,
    pub(crate) pale: &'static str,
    pub(crate) bold: &'static str,
    pub(crate) reset: &'static str,
}

pub(crate) const COLORED: Colors =
    Colors { admitted: "\x1b[94m", rest: "\x1b[33m", pale: "\x1b[2m", bold: "\x1b[1m", reset: "\x1b[0m" };

pub(crate) const PLAIN: Colors = Colors { admitted: "", rest: "", pale: "", bold: "", reset: "" };

/// A block of which this number of eighths is filled, from below.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(crate) const SHADE: char = '░';

/// The calls of one part of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub(crate) admitted: u64,
    pub(crate) offered: u64,
}

/// What one cell shows. A cell of both shows what is more of it.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Empty,
    Admitted(char),
    Rest,
}

impl Bar {
    /// The cell of a row. Row 0 is the lowest of `rows`, and `top` is the value at the upper end.
    fn cell(self, row: u64, rows: u64, top: u64) -> Cell {
        let eighths = |value: u64| {
            let eighths = whole(float(value) * float(rows * 8) / float(top));
            if value > 0 { eighths.max(1) } else { 0 }
        };
        let (admitted, offered) = (eighths(self.admitted), eighths(self.offered));
        let within = |height: u64| index(height.saturating_sub(row * 8).min(8));
        match (within(admitted), within(offered)) {
            (0, 0) => Cell::Empty,
            (0, rest) if rest >= 4 || row == 0 => Cell::Rest,
            (0, _) => Cell::Empty,
            (solid, all) if row > 0 && all > 2 * solid => Cell::Rest,
            (solid, _) => Cell::Admitted(BLOCKS[solid]),
        }
    }
}

/// A row of bars, each `width` characters wide. Colors change only where they have to.
pub(crate) fn row(bars: &[Bar], row: u64, (rows, top): (u64, u64), width: usize, colors: &Colors) -> String {
    let (mut line, mut ink) = (String::new(), "");
    for bar in bars {
        let (symbol, wanted) = match bar.cell(row, rows, top) {
            Cell::Empty => (' ', ink),
            Cell::Admitted(block) => (block, colors.admitted),
            Cell::Rest => (SHADE, colors.rest),
        };
        if wanted != ink {
            line += wanted;
            ink = wanted;
        }
        line.extend(std::iter::repeat_n(symbol, width));
    }
    line.truncate(line.trim_end().len());
    if !ink.is_empty() {
        line += colors.reset;
    }
    line
}

/// A round number in few letters: from 100 000 on in thousands, such as `150k`.
pub(crate) fn short(number: u64) -> String {
    if number >= 100_000 && number.is_multiple_of(1000) {
        format!("{}k", number / 1000)
    } else {
        number.to_string()
    }
}

/// The smallest round number that is at least `value`: one of 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80
/// or the last ten of them with zeros.
pub(crate) fn round_up(value: u64) -> u64 {
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
        let rows = [1, 0].map(|at| row(&bars, at, (2, 16), 1, &PLAIN));
        assert_eq!(rows, ["  ░ ▄", " ▁▄██░"]);
        // What is more in a cell is shown, so that there is no gap between both.
        let sliver = Bar { admitted: 9, offered: 16 };
        assert_eq!([1, 0].map(|at| row(&[sliver], at, (2, 16), 1, &PLAIN)), ["░", "█"]);
    }

    #[test]
    fn colors_change_only_where_they_have_to() {
        let bars = [
            Bar { admitted: 8, offered: 8 },
            Bar { admitted: 8, offered: 8 },
            Bar { admitted: 0, offered: 8 },
        ];
        assert_eq!(row(&bars, 0, (1, 8), 2, &COLORED), "\x1b[94m████\x1b[33m░░\x1b[0m");
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([1, 3, 7, 9, 41, 199, 600, 12_345].map(round_up), [1, 3, 8, 10, 50, 200, 600, 15_000]);
        assert_eq!(round_up(u64::MAX), u64::MAX);
        assert_eq!([0, 99_999, 150_000, 12_500_000].map(short), ["0", "99999", "150k", "12500k"]);
    }
}
