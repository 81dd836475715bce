// The attribute cannot be on a module.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
mod module {
    pub fn function() {}
}

fn main() {
    module::function();
}
