//! PNG: a canvas as a file of 8-bit RGB.

use super::canvas::Canvas;
use crate::simulate::numbers::count;
use miniz_oxide::deflate::compress_to_vec_zlib;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The effort of the compression, from 0 to 10.
const EFFORT: u8 = 7;

pub(crate) fn png(canvas: &Canvas) -> Vec<u8> {
    let [width, height] = [canvas.width, canvas.height].map(|pixels| u32_of(pixels).to_be_bytes());
    // 8 bits for each of three colors; no interlacing.
    let head = [&width[..], &height[..], &[8, 2, 0, 0, 0]].concat();
    let mut rows = Vec::with_capacity(canvas.pixels.len() + canvas.height);
    for row in canvas.pixels.chunks(canvas.width.max(1) * 3) {
        rows.push(0); // no filter
        rows.extend_from_slice(row);
    }
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, *b"IHDR", &head);
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&rows, EFFORT));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    file.extend(u32_of(data.len()).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let checksum = crc(&file[start..]);
    file.extend(checksum.to_be_bytes());
}

fn u32_of(length: usize) -> u32 {
    u32::try_from(count(length)).unwrap_or(u32::MAX)
}

/// The CRC-32 of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let shift = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        (0..8).fold(crc ^ u32::from(*byte), shift)
    };
    !bytes.iter().fold(u32::MAX, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_file_has_its_size_and_its_pixels() {
        let canvas = Canvas { width: 2, height: 1, pixels: vec![1, 2, 3, 4, 5, 6] };
        let file = png(&canvas);
        assert!(file.starts_with(SIGNATURE) && file.ends_with(b"IEND\xae\x42\x60\x82"));
        assert_eq!(file[16..24], [0, 0, 0, 2, 0, 0, 0, 1]);
        let length = usize::try_from(u32::from_be_bytes(file[33..37].try_into().unwrap())).unwrap();
        let rows = miniz_oxide::inflate::decompress_to_vec_zlib(&file[41..41 + length]).unwrap();
        assert_eq!(rows, [0, 1, 2, 3, 4, 5, 6]);
    }
}
