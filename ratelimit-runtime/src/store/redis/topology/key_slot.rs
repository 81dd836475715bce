//! The slot of a key, as the cluster specification of Redis defines it.

/// The number of slots of a cluster.
pub(crate) const SLOTS: u16 = 16_384;

/// The CRC-16/XMODEM of the tag of a key, the part in the first braces, or of the whole key.
pub(crate) fn key_slot(bytes: &[u8]) -> u16 {
    let tag = bytes.iter().position(|byte| *byte == b'{').and_then(|open| {
        let tag = &bytes[open + 1..];
        let close = tag.iter().position(|byte| *byte == b'}')?;
        (close > 0).then(|| &tag[..close])
    });
    crc16(tag.unwrap_or(bytes)) % SLOTS
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        let [high, low] = crc.to_be_bytes();
        u16::from_be_bytes([low, 0]) ^ CRC_16[usize::from(high ^ byte)]
    })
}

/// The CRC of each possible byte.
const CRC_16: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte: u16 = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte << 8, 0);
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc16(b"123456789"), 0x31C3);
        let slot = |key: &str| key_slot(key.as_bytes());
        assert_eq!(slot("shop:{user1000}:following:c2"), slot("other:{user1000}:followers:tb2"));
        assert_eq!(slot("user1000"), slot("a{user1000}b"));
        assert_eq!(slot("foo{}{bar}"), crc16(b"foo{}{bar}") % 16_384);
    }
}
