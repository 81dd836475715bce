//! `Block`: how long a refused caller stays refused, in steps that grow with each further refusal.

use super::bounds::MAX_TIME_MS;
use super::{LimitError, duration};
use std::fmt;
use std::time::Duration;

/// The most steps of a block.
pub const MAX_STEPS: usize = 4;

/// The number of bits for one step: 366 days have fewer than 2^25 seconds.
const STEP_BITS: usize = 25;

/// The lengths of the blocks of a limit in whole seconds, in growing order. Zeros fill the places after the last length.
///
/// The lengths are packed into otherwise unused bytes of a limit, from the lowest bits on, because nearly all limits have no
/// block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block([u8; BYTES]);

const BYTES: usize = (MAX_STEPS * STEP_BITS).div_ceil(8);

impl Block {
    /// No block: a refused caller may call again at once.
    pub const NONE: Self = Self([0; BYTES]);

    /// Checks the steps and packs them. An empty slice means no block.
    pub const fn of(steps: &[Duration]) -> Result<Self, LimitError> {
        if steps.len() > MAX_STEPS {
            return Err(LimitError::BLOCK_TOO_MANY_STEPS);
        }
        let (mut packed, mut at) = (0_u128, 0);
        while at < steps.len() {
            let step = steps[at];
            if step.subsec_nanos() > 0 || step.as_secs() == 0 || step.as_secs() > MAX_TIME_MS / 1000 {
                return Err(LimitError::BLOCK_STEP);
            }
            if at > 0 && step.as_secs() <= steps[at - 1].as_secs() {
                return Err(LimitError::BLOCK_NOT_GROWING);
            }
            packed |= (step.as_secs() as u128) << (STEP_BITS * at);
            at += 1;
        }
        match packed.to_le_bytes().first_chunk() {
            Some(bytes) => Ok(Self(*bytes)),
            None => Ok(Self::NONE),
        }
    }

    pub const fn is_none(&self) -> bool {
        let [a, b, c, d, ..] = self.0;
        u32::from_le_bytes([a, b, c, d]) == 0
    }

    /// The steps in milliseconds.
    pub fn steps_ms(&self) -> impl Iterator<Item = u64> + use<> {
        let mut packed = [0; 16];
        packed[..BYTES].copy_from_slice(&self.0);
        let packed = u128::from_le_bytes(packed);
        let seconds = move |at| (packed >> (STEP_BITS * at)) & ((1 << STEP_BITS) - 1);
        let ms = move |at| u64::try_from(seconds(at) * 1000).unwrap_or(0);
        (0..MAX_STEPS).map(ms).take_while(|ms| *ms > 0)
    }

    /// The length in ms of a block that follows this many earlier blocks. After the last step, the last length repeats.
    pub fn step_ms(&self, earlier: usize) -> u64 {
        self.steps_ms().take(earlier + 1).last().unwrap_or(0)
    }

    /// The longest step in ms. If there is no refusal for this time after a block, the steps start over.
    pub fn longest_ms(&self) -> u64 {
        self.step_ms(MAX_STEPS)
    }
}

impl fmt::Display for Block {
    /// Writes the steps as in the text of a limit: `1m,10m,1h`. Writes `0s` if there are no steps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps_ms().map(duration::show).collect();
        f.write_str(if steps.is_empty() { "0s" } else { "" })?;
        f.write_str(&steps.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn steps_grow_and_the_last_one_repeats() {
        let block = Block::of(&[MINUTE, MINUTE * 10, MINUTE * 60]).unwrap();
        assert_eq!(
            [0, 1, 2, 3, 9].map(|earlier| block.step_ms(earlier)),
            [60_000, 600_000, 3_600_000, 3_600_000, 3_600_000]
        );
        assert_eq!(block.longest_ms(), 3_600_000);
        assert_eq!((Block::NONE.longest_ms(), Block::of(&[])), (0, Ok(Block::NONE)));
    }

    #[test]
    fn four_steps_of_up_to_a_year_have_room() {
        let steps = [3, 2, 1, 0].map(|before| MAX_TIME_MS - before * 1000);
        let block = Block::of(&steps.map(Duration::from_millis)).unwrap();
        assert!(block.steps_ms().eq(steps));
    }

    #[test]
    fn each_mistake_has_its_name() {
        for (steps, violation) in [
            (vec![Duration::ZERO], LimitError::BLOCK_STEP),
            (vec![Duration::from_millis(1500)], LimitError::BLOCK_STEP),
            (vec![MINUTE * 60 * 24 * 367], LimitError::BLOCK_STEP),
            (vec![MINUTE, MINUTE], LimitError::BLOCK_NOT_GROWING),
            ((1..=5).map(|step| MINUTE * step).collect(), LimitError::BLOCK_TOO_MANY_STEPS),
        ] {
            assert_eq!(Block::of(&steps), Err(violation), "{steps:?}");
        }
        assert!(Block::of(&[MINUTE * 60 * 24 * 366]).is_ok());
    }
}
