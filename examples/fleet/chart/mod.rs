//! The drawings.

pub(crate) mod calls;
pub(crate) mod used;

use plotters::style::RGBColor;

/// Of each limit, in order.
const INKS: [RGBColor; 2] = [RGBColor(188, 76, 0), RGBColor(9, 105, 218)];
const PALE: RGBColor = RGBColor(175, 184, 193);
