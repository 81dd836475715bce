// A constructor in a block whose attribute uses `self`.

use ratelimit::{Rejection, rate_limit};

struct Client { base: String }

#[rate_limit(count = 5, by = self.base)]
impl Client {
    pub async fn connect(base: String) -> Result<Self, Rejection> { Ok(Self { base }) }
    pub async fn ask(&self) -> Result<(), Rejection> { Ok(()) }
}

#[rate_limit(count = 5, key = "other:{self.base}")]
impl Client {
    pub async fn open(base: String) -> Result<Self, Rejection> { Ok(Self { base }) }
    pub async fn tell(&self) -> Result<(), Rejection> { Ok(()) }
}

// The advice.
#[rate_limit(count = 5, by = self.base)]
impl Client {
    #[rate_limit(skip)]
    pub async fn begin(base: String) -> Result<Self, Rejection> { Ok(Self { base }) }
    pub async fn end(&self) -> Result<(), Rejection> { Ok(()) }
}

fn main() {}
