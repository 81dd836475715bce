//! governor, keyed by the values that our callers are identified by.

use crate::memory::front::{Front, governor as name};
use crate::memory::{BY_ADDRESS, BY_INTEGER, BY_STRING};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::hint::black_box;
use std::net::IpAddr;
use std::num::NonZeroU32;

pub(crate) fn front() -> [Front; 4] {
    let passes = Quota::per_second(NonZeroU32::MAX);
    let string = "user-00000007".to_owned();
    [
        keyed(name(BY_INTEGER), passes, 7_u64),
        keyed(name(BY_STRING), passes, string),
        keyed(name(BY_ADDRESS), passes, IpAddr::from([203, 0, 113, 7])),
        keyed(name("an integer, refused"), Quota::per_hour(NonZeroU32::MIN), 7_u64),
    ]
}

fn keyed<K: Hash + Eq + Clone + 'static>(name: String, quota: Quota, key: K) -> Front {
    let limiter: DefaultKeyedRateLimiter<K> = RateLimiter::keyed(quota);
    Front::new(name, move || {
        let _ = black_box(limiter.check_key(black_box(&key)));
    })
}
