//! Environment variables that make random and repeated tests longer or different.

/// The number of operations of a random test. `RATELIMIT_OPERATIONS` replaces `ordinary`: `1000000` is a number, and `25%` is a
/// share of `ordinary`.
pub(crate) fn operations(ordinary: usize) -> usize {
    let Ok(given) = std::env::var("RATELIMIT_OPERATIONS") else { return ordinary };
    let number =
        |text: &str| text.parse::<usize>().unwrap_or_else(|_| panic!("RATELIMIT_OPERATIONS is `{given}`"));
    given.strip_suffix('%').map_or_else(|| number(&given), |percent| ordinary * number(percent) / 100)
}

/// Whether this run is the soak, which has long tests and asserts times. `RATELIMIT_SOAK` enables it.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("RATELIMIT_SOAK").is_some()
}

/// The number of repetitions of a slow operation: `ordinary`, or `soak` in the soak.
pub(crate) fn rounds(ordinary: u32, soak: u32) -> u32 {
    if is_soak() { soak } else { ordinary }
}

/// The seed of the random tests. It is constant, so that failures can be repeated. `RATELIMIT_SEED` replaces it.
pub(crate) fn seed() -> u64 {
    std::env::var("RATELIMIT_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(20_261_121)
}
