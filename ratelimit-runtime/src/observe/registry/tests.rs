//! Tests of the registry.

use super::*;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn note(registry: &Registry, name: &'static str) {
    let entry = registry.named(name, true);
    entry.note_first(|| First {
        limit: Limit::counter(1, SECOND),
        limiter: 0,
        denies: false,
        source: Source::default(),
    });
}

#[test]
fn a_name_is_found_again_and_names_are_bounded() {
    static REGISTRY: Registry = Registry::new();
    let registry = &REGISTRY;
    let first = registry.named("login", false);
    assert!(std::ptr::eq(first, registry.named("login", false)));
    for name in 0..5 * MOST_NAMES {
        registry.named(&format!("generated {name}"), false);
    }
    let known = || registry.places.iter().filter(|place| place.get().is_some()).count();
    assert_eq!(known(), MOST_NAMES);
    assert!(std::ptr::eq(first, registry.named("login", false)), "a known limit stays");
    assert_eq!(&*registry.named("yet another", false).name, OTHER);
    note(registry, "an attribute");
    assert_eq!((&*registry.named("an attribute", false).name, known()), ("an attribute", MOST_NAMES + 1));
}

#[test]
fn a_very_long_name_has_no_entry_unless_it_is_a_constant() {
    static REGISTRY: Registry = Registry::new();
    let registry = &REGISTRY;
    assert_eq!(&*registry.named(&"x".repeat(LONGEST_NAME + 1), false).name, OTHER);
    assert_ne!(&*registry.named(&"x".repeat(LONGEST_NAME), false).name, OTHER);
    assert_ne!(&*registry.named(&"x".repeat(LONGEST_NAME + 1), true).name, OTHER);
}

#[test]
fn threads_that_insert_at_once_find_the_same_entries() {
    static REGISTRY: Registry = Registry::new();
    let registry = &REGISTRY;
    let names: Vec<String> = (0..MOST_NAMES / 2).map(|name| format!("limit {name}")).collect();
    let find = || names.iter().map(|name| std::ptr::from_ref(registry.named(name, false)).addr()).collect();
    let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(find)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(registry.number.load(Ordering::Relaxed), names.len());
}
