//! A drawing as a list of shapes: rectangles, stepped lines and text. It is written as SVG, and painted as PNG.

/// What a shape shows. Each output gives it a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Paper,
    Text,
    Pale,
    Grid,
    Admitted,
    Rest,
    Offered,
}

impl Ink {
    pub(crate) const ALL: [Self; 7] =
        [Self::Paper, Self::Text, Self::Pale, Self::Grid, Self::Admitted, Self::Rest, Self::Offered];

    /// The name of the class in SVG.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Text => "text",
            Self::Pale => "pale",
            Self::Grid => "grid",
            Self::Admitted => "admitted",
            Self::Rest => "rest",
            Self::Offered => "offered",
        }
    }

    /// Red, green and blue on light paper. Blue and orange differ for color-blind readers, too, and in brightness.
    pub(crate) fn light(self) -> [u8; 3] {
        match self {
            Self::Paper => [255, 255, 255],
            Self::Text => [31, 35, 40],
            Self::Pale => [89, 99, 110],
            Self::Grid => [226, 230, 235],
            Self::Admitted => [0, 114, 178],
            Self::Rest => [247, 205, 138],
            Self::Offered => [140, 80, 0],
        }
    }

    /// The same on dark paper.
    pub(crate) fn dark(self) -> [u8; 3] {
        match self {
            Self::Paper => [22, 27, 34],
            Self::Text => [230, 237, 243],
            Self::Pale => [157, 167, 179],
            Self::Grid => [48, 54, 61],
            Self::Admitted => [74, 168, 224],
            Self::Rest => [108, 78, 32],
            Self::Offered => [236, 176, 84],
        }
    }
}

/// `#0072b2`
pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Which end of a text is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Left,
    Middle,
    Right,
}

/// The two sizes of text, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Normal,
    Title,
}

impl Size {
    pub(crate) fn pixels(self) -> f64 {
        match self {
            Self::Normal => 12.0,
            Self::Title => 16.0,
        }
    }

    /// The most that a letter is wide, on average. It is the width of a letter of the font in PNG.
    pub(crate) fn letter(self) -> f64 {
        self.pixels() * 0.59
    }
}

/// A rectangle: the upper left corner and the size, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) x: f64,
    /// The base line.
    pub(crate) y: f64,
    pub(crate) ink: Ink,
    pub(crate) size: Size,
    pub(crate) end: End,
    pub(crate) is_bold: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Area(Ink, Area),
    /// Bars of one color on one base line, from left to right. Bars that touch have no seam.
    Skyline(Ink, Vec<Area>),
    /// A line through points. Each of its pieces is horizontal or vertical.
    Steps {
        ink: Ink,
        width: f64,
        points: Vec<(f64, f64)>,
    },
    Words(Words),
}

#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// In pixels.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What a reader who does not see the picture is told.
    pub(crate) description: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Scene {
    pub(crate) fn area(&mut self, ink: Ink, area: Area) {
        self.shapes.push(Shape::Area(ink, area));
    }

    /// Writes text of normal size. `end` tells which end of it is at the position.
    pub(crate) fn write(&mut self, text: &str, (x, y): (f64, f64), ink: Ink, end: End) {
        let text = text.to_owned();
        self.shapes.push(Shape::Words(Words { text, x, y, ink, size: Size::Normal, end, is_bold: false }));
    }

    /// Writes bold text from left to right.
    pub(crate) fn write_bold(&mut self, text: &str, (x, y): (f64, f64), size: Size) {
        let (text, ink, end) = (text.to_owned(), Ink::Text, End::Left);
        self.shapes.push(Shape::Words(Words { text, x, y, ink, size, end, is_bold: true }));
    }
}
