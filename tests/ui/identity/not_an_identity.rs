// What the compiler says where a type is asked for an identity by the trait.

use ratelimit::Key;

struct User;

fn main() {
    let _ = Key::new("report").by(User);
}
