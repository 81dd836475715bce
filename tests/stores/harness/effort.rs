//! Environment variables that make random and repeated tests longer or different.

/// The number of operations of a random test. `RATELIMIT_OPERATIONS` replaces the ordinary number.
pub(crate) fn operations(ordinary: usize) -> usize {
    std::env::var("RATELIMIT_OPERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(ordinary)
}

/// Whether this run is the soak, which has long tests and asserts times: `RATELIMIT_SOAK` is set.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("RATELIMIT_SOAK").is_some()
}

/// The number of repetitions of something slow: `ordinary`, or `soak` in the soak.
pub(crate) fn rounds(ordinary: u32, soak: u32) -> u32 {
    if is_soak() { soak } else { ordinary }
}

/// The seed of the random tests. It is constant so that failures can be repeated; `RATELIMIT_SEED` replaces it.
pub(crate) fn seed() -> u64 {
    std::env::var("RATELIMIT_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(20_261_121)
}
