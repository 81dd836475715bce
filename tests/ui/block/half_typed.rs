// An unfinished block: mostly the compiler's messages, and the other methods still work.

use ratelimit::{Rejection, rate_limit};

struct Service {
    name: String,
}

#[rate_limit(count = 5)]
impl Service {
    async fn body(&self) -> Result<String, Rejection> {
        Ok(self.name.)
    }

    async fn binding(&self) -> Result<u32, Rejection> {
        let more = ;
        Ok(5)
    }

    async fn whole(&self) -> Result<u32, Rejection> {
        Ok(5)
    }
}

#[rate_limit(count = 5)]
impl Service {
    async fn signature(&self, id: ) -> Result<(), Rejection> {
        Ok(())
    }

    async fn another_whole(&self) -> Result<u32, Rejection> {
        Ok(5)
    }
}

#[rate_limit(count = )]
impl Service {
    async fn of_a_half_typed_attribute(&self) -> Result<u32, Rejection> {
        Ok(5)
    }
}

async fn caller(service: Service) -> Result<u32, Rejection> {
    service.body().await?;
    service.of_a_half_typed_attribute().await?;
    Ok(service.binding().await? + service.whole().await? + service.another_whole().await?)
}

fn main() {
    let _ = caller(Service { name: String::new() });
}
