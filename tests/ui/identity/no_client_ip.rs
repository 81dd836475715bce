// What the compiler says where a type is asked for an address by the trait.

use ratelimit::ClientIp;

struct MyRequest;

fn peer(request: &impl ClientIp) {
    let _ = request.client_ip();
}

fn main() {
    peer(&MyRequest);
}
