// Values of `until`.

use axum::response::Response;
use ratelimit::{Rejection, rate_limit};

// Words that are not an end of a limit, and other names of the argument.
#[rate_limit(algorithm = "concurrency", until = "body-end")]
async fn misspelt(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", until = "stream_end")]
async fn foreign(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", until = "handler-end")]
async fn foreign_return(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", until = "the client is happy")]
async fn unknown(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", until = body_end)]
async fn without_quotes(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", until = true)]
async fn not_a_word(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", stream = true)]
async fn other_argument(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(algorithm = "concurrency", hold_until = "body_end")]
async fn other_name(body: Response) -> Result<Response, Rejection> { Ok(body) }

// The response to a WebSocket upgrade has no body.

struct WebSocketUpgrade(Response);

#[rate_limit(algorithm = "concurrency", count = 5, until = "body_end")]
async fn socket(upgrade: WebSocketUpgrade) -> Result<Response, Rejection> { Ok(upgrade.0) }

// A limit that takes its units once, and verdicts about the result.
#[rate_limit(count = 5, until = "body_end")]
async fn counted(body: Response) -> Result<Response, Rejection> { Ok(body) }
#[rate_limit(count = 5, refund_if = Result::is_err, until = "body_end")]
async fn refunded(body: Response) -> Result<Response, Rejection> { Ok(body) }

fn main() {}
