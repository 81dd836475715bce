//! A canvas of pixels on which a scene is painted at twice its size, for PNG.

use super::scene::{Area, End, Ink, Scene, Shape, Words};
use crate::simulate::numbers::{count, float, index, whole};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Pixels of the picture for each pixel of the scene.
const SCALE: f64 = 2.0;

/// The height of the font with its line, in pixels of the picture. The letters are as large as the normal size of a scene. The
/// font has no larger size, so titles have it, too.
const HEIGHT: RasterHeight = RasterHeight::Size32;

/// The distance of the base line from the upper end of the font.
const BASE_LINE: f64 = 25.0;

/// A picture with three bytes for each pixel: red, green and blue.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

impl Canvas {
    pub(crate) fn of(scene: &Scene) -> Self {
        let [width, height] = [scene.width, scene.height].map(|length| index(whole((length * SCALE).ceil())));
        let mut canvas = Self { width, height, pixels: vec![255; width * height * 3] };
        for shape in &scene.shapes {
            match shape {
                Shape::Area(ink, area) => canvas.fill(*area, *ink),
                Shape::Skyline(ink, bars) => bars.iter().for_each(|bar| canvas.fill(snapped(*bar), *ink)),
                Shape::Steps { ink, width, points } => {
                    for pair in points.windows(2) {
                        canvas.fill(piece(pair[0], pair[1], *width), *ink);
                    }
                }
                Shape::Words(words) => canvas.write(words),
            }
        }
        canvas
    }

    /// Fills a rectangle. Pixels at its edges get a part of the color.
    fn fill(&mut self, area: Area, ink: Ink) {
        let (left, right) = (area.x * SCALE, (area.x + area.width) * SCALE);
        let (top, bottom) = (area.y * SCALE, (area.y + area.height) * SCALE);
        for y in cells(top, bottom, self.height) {
            let vertical = covered(top, bottom, y);
            for x in cells(left, right, self.width) {
                self.blend((x, y), ink, vertical * covered(left, right, x));
            }
        }
    }

    fn write(&mut self, words: &Words) {
        let weight = if words.is_bold { FontWeight::Bold } else { FontWeight::Regular };
        let letter = get_raster_width(weight, HEIGHT);
        let length = float(count(letter * words.text.chars().count()));
        let left = words.x * SCALE
            - match words.end {
                End::Left => 0.0,
                End::Middle => length / 2.0,
                End::Right => length,
            };
        let top = words.y * SCALE - BASE_LINE;
        let (mut x, y) = (index(whole(left)), index(whole(top)));
        for symbol in words.text.chars() {
            let Some(raster) = get_raster(symbol, weight, HEIGHT).or_else(|| get_raster('?', weight, HEIGHT))
            else {
                return;
            };
            for (down, line) in raster.rows().enumerate() {
                for (right, strength) in line.iter().enumerate() {
                    self.blend((x + right, y + down), words.ink, f64::from(*strength) / 255.0);
                }
            }
            x += letter;
        }
    }

    /// Mixes a color into a pixel. Pixels outside of the canvas are left out.
    fn blend(&mut self, (x, y): (usize, usize), ink: Ink, strength: f64) {
        if x >= self.width || y >= self.height || strength <= 0.0 {
            return;
        }
        let at = (y * self.width + x) * 3;
        for (pixel, color) in self.pixels[at..at + 3].iter_mut().zip(ink.light()) {
            let mixed = f64::from(*pixel) * (1.0 - strength) + f64::from(color) * strength;
            *pixel = u8::try_from(whole(mixed)).unwrap_or(u8::MAX);
        }
    }
}

/// A bar whose left and right edges are edges of pixels, so that bars that touch have no seam.
fn snapped(bar: Area) -> Area {
    let [left, right] = [bar.x, bar.x + bar.width].map(|x| (x * SCALE).round() / SCALE);
    Area { x: left, width: right - left, ..bar }
}

/// The rectangle of a piece of a line, with square ends.
fn piece((x1, y1): (f64, f64), (x2, y2): (f64, f64), width: f64) -> Area {
    let half = width / 2.0;
    let (x, y) = (x1.min(x2) - half, y1.min(y2) - half);
    Area { x, y, width: (x2 - x1).abs() + width, height: (y2 - y1).abs() + width }
}

/// The pixels that an interval touches.
fn cells(from: f64, to: f64, end: usize) -> std::ops::Range<usize> {
    index(whole(from.floor()))..index(whole(to.ceil())).min(end)
}

/// Which part of a pixel an interval covers, from 0 to 1.
fn covered(from: f64, to: f64, pixel: usize) -> f64 {
    let start = float(count(pixel));
    (to.min(start + 1.0) - from.max(start)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pixel_gets_half_of_the_color() {
        let mut scene = Scene { width: 2.0, height: 1.0, description: String::new(), shapes: Vec::new() };
        scene.area(Ink::Admitted, Area { x: 0.25, y: 0.0, width: 0.75, height: 1.0 });
        let canvas = Canvas::of(&scene);
        assert_eq!((canvas.width, canvas.height), (4, 2));
        let red: Vec<u8> = canvas.pixels.iter().step_by(3).copied().collect();
        assert_eq!(red, [128, 0, 255, 255, 128, 0, 255, 255]);
    }

    #[test]
    fn shapes_outside_of_the_canvas_are_cut_off() {
        let mut scene = Scene { width: 9.0, height: 9.0, description: String::new(), shapes: Vec::new() };
        scene.area(Ink::Text, Area { x: -5.0, y: -5.0, width: 500.0, height: 7.0 });
        scene.write("too long a text \u{1f642}", (-3.0, 3.0), Ink::Text, End::Middle);
        assert_eq!(Canvas::of(&scene).pixels.len(), 18 * 18 * 3);
    }
}
