// The attribute needs a function or an `impl` block. The other item stays as it is.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
struct Struct;

#[rate_limit(count = 5)]
enum Enum {}

#[rate_limit(count = 5)]
trait Trait {}

#[rate_limit(count = 5)]
static STATIC: u8 = 0;

#[rate_limit(count = 5)]
const CONSTANT: u8 = 0;

#[rate_limit(count = 5)]
type Type = u8;

#[rate_limit(count = 5)]
use std::fmt;

#[rate_limit(count = 5)]
thread_local! {}

#[rate_limit(count = 5)]
pub unsafe trait Unsafe {}

fn main() {
    let _: (Type, Option<Enum>, fmt::Result) = (STATIC + CONSTANT, None, Ok(()));
    let _ = Struct;
}
