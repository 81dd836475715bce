//! The text form of states: the scripts read every state as they wrote it, at any time, and report other texts as foreign.

use super::parts::parts;
use crate::harness::{foreign_texts, operations, seed};
use mlua::{Function, Lua, Table};

/// The functions `encode` and `decode` of the scripts at this time.
fn codec(parts: &str, now_ms: u64) -> (Lua, Function, Function) {
    let lua = Lua::new();
    let text = format!("local redis, ARGV, KEYS = ...\n{parts}\nreturn encode, decode");
    let redis: Table = lua
        .load("local s, us = ...; return { call = function() return { s, us } end }")
        .call((now_ms / 1000, now_ms % 1000 * 1000))
        .unwrap();
    let (encode, decode) =
        lua.load(text).call((redis, lua.create_table().unwrap(), lua.create_table().unwrap())).unwrap();
    (lua, encode, decode)
}

/// Asserts that `parts` reads every state as it wrote it, in the form that the header of `head.lua` describes.
pub(super) fn keep_states(parts: &str, operations: usize) {
    const YEAR: u64 = 366 * 86_400_000;
    let mut random = fastrand::Rng::with_seed(seed());
    let moments = [
        0,
        1,
        99_999_999_999,
        100_000_000_000,
        1_763_000_000_123,
        1_799_999_999_999,
        (1 << 53) / 1000 - 3 * YEAR,
    ];
    for now in moments {
        let (_lua, encode, decode) = codec(parts, now);
        for _ in 0..operations / moments.len() {
            let tags = random.choice([1_u64, 50, 1000]).unwrap();
            let tag = match random.u8(0..4) {
                0 | 1 => random.u64(0..tags),
                2 => random.u64(tags - 1..=tags),
                _ => random.u64(0..1 << 26),
            };
            let tag = if tags == 1 { 0 } else { tag };
            let (bits, far) = (random.u32(0..34), random.u64(0..3 * YEAR));
            let any = random.u64(0..1 << bits);
            let units = random
                .choice([
                    0,
                    1,
                    91_999,
                    92_000,
                    92_001,
                    1_839_999,
                    1_840_000,
                    91_999_999,
                    92_000_000,
                    (1 << 33) - 1,
                    any,
                ])
                .unwrap();
            let away =
                random.choice([0, 1, 1000, 9_999_999_999, 10_000_000_000, 10_000_000_001, far]).unwrap();
            let text: mlua::String = encode.call((units, tag, away, tags)).unwrap();
            let length = text.as_bytes().len();
            let is_short = units * tags + tag < 92_000_000 && tag < tags && away <= 10_000_000_000;
            assert!(if is_short { length <= 19 } else { length >= 23 }, "{units} {tag} {away} as {text:?}");
            if is_short {
                text.to_str().unwrap().parse::<i64>().unwrap();
            }
            let read: (u64, u64, u64) = decode.call((text, tags)).unwrap();
            assert_eq!(read, (units, tag, away), "at {now} with {tags} tags");
        }
    }
}

/// Asserts that `parts` reads a short state at other times than the time of writing: later, and also earlier, as after the
/// clock was set back. The header of `head.lua` names the interval of these times. The last two states are written just before
/// and just after the end of an era (10^11 ms), in which the digits of the time start again at 0.
pub(super) fn keep_times(parts: &str) {
    for written_at in [1_763_000_000_123, 1_799_999_999_000, 1_800_000_000_500_u64] {
        let (_lua, encode, _) = codec(parts, written_at);
        for away in [0, 10_000_000_000] {
            let text: mlua::String = encode.call((5, 7, away, 50)).unwrap();
            let first = written_at + away - 84_999_999_999;
            let last = written_at + away + 14_999_999_999;
            for now in [first, written_at - 1, written_at, written_at + 1, written_at + 2000, last] {
                let (_other, _, decode) = codec(parts, now);
                let read: (u64, u64, i64) = decode.call((text.to_str().unwrap().as_ref(), 50)).unwrap();
                let ahead = (written_at + away).cast_signed() - now.cast_signed();
                assert_eq!(read, (5, 7, ahead), "at {now}");
            }
        }
    }
}

/// Asserts that `parts` reads no foreign text as a state.
pub(super) fn find_foreign_texts(parts: &str) {
    let (_other, _, decode) = codec(parts, 1_763_000_000_123);
    for text in foreign_texts() {
        let units: Option<f64> = decode.call((text, 1)).unwrap();
        assert_eq!(units, None, "{text:?}");
    }
}

#[test]
fn states_are_read_as_they_were_written() {
    keep_states(parts(), operations(70_000));
}

#[test]
fn short_states_keep_their_time() {
    keep_times(parts());
}

#[test]
fn other_texts_are_foreign() {
    find_foreign_texts(parts());
}
