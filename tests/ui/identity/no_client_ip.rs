// The compiler's message for a type that does not implement `ClientIp`.

use ratelimit::ClientIp;

struct MyRequest;

fn peer(request: &impl ClientIp) {
    let _ = request.client_ip();
}

fn main() {
    peer(&MyRequest);
}
