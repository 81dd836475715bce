// The compiler's message for a type that does not implement `Identity`.

use ratelimit::Key;

struct User;

fn main() {
    let _ = Key::new("report").by(User);
}
