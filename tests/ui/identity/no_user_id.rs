// The compiler's messages for types that do not implement `UserId` or `RequestHeaders`.

use ratelimit::{RequestHeaders, UserId};

struct Account;

fn of_user(user: &impl UserId) {
    let _ = user.user_id();
}

fn of_headers(headers: &impl RequestHeaders) {
    let _ = headers.header("x-api-key");
}

fn main() {
    of_user(&Account);
    of_headers(&Account);
}
