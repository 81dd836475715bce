// A function that returns nothing cannot report a rejection, unless it has a response into which one can be written.

use ratelimit::__private::RejectionTarget;
use ratelimit::{Rejection, rate_limit};
use std::future::Future;

struct Response;

impl RejectionTarget for Response {
    fn write_rejection(&mut self, _: Rejection) {}
}

#[rate_limit(count = 5)]
async fn silent() {}

#[rate_limit(count = 5)]
async fn unit() -> () {}

#[rate_limit(count = 5)]
async fn no_response(text: &mut String, id: u64) {
    let _ = (text, id);
}

#[rate_limit(count = 5)]
async fn two_responses(a: &mut Response, b: &mut Response) {
    let _ = (a, b);
}

#[rate_limit(count = 5)]
async fn shared_response(response: &Response) {
    let _ = response;
}

#[rate_limit(count = 5)]
fn future(response: &mut Response) -> impl Future<Output = ()> {
    let _ = response;
    async move {}
}

// This one has what it needs.
#[rate_limit(count = 5)]
async fn response(response: &mut Response) {
    let _ = response;
}

fn main() {}
