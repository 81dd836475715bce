//! The drawings of the guide to scaling.

pub(crate) mod calls;
pub(crate) mod used;

use plotters::style::RGBColor;

/// The colors of the limits.
const INKS: [RGBColor; 2] = [RGBColor(188, 76, 0), RGBColor(9, 105, 218)];
const PALE: RGBColor = RGBColor(175, 184, 193);
