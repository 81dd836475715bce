//! Methods with every kind of `self`.

use crate::harness::{Runs, passes_once};
use ratelimit::{Rejection, rate_limit};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Service {
    runs: Arc<Runs>,
    text: String,
}

impl Service {
    #[rate_limit(count = 1)]
    async fn by_reference(&self) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    async fn by_mutable_reference(&mut self) -> Result<u32, Rejection> {
        self.text.push('!');
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    async fn by_value(self) -> Result<String, Rejection> {
        self.runs.add();
        Ok(self.text)
    }

    #[rate_limit(count = 1)]
    async fn by_mutable_value(mut self) -> Result<String, Rejection> {
        self.runs.add();
        self.text.push('!');
        Ok(self.text)
    }

    #[rate_limit(count = 1, key = "{self.text}")]
    async fn by_arc(self: Arc<Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, by = self.text)]
    async fn by_rc(self: &Rc<Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1)]
    async fn lends(&self, runs: &Runs) -> Result<&str, Rejection> {
        runs.add();
        Ok(&self.text)
    }

    #[rate_limit(count = 1, by = self.runs.who())]
    async fn lends_mutably(&mut self) -> Result<&mut String, Rejection> {
        self.runs.add();
        Ok(&mut self.text)
    }
}

#[tokio::test]
async fn references() {
    let mut service = Service::default();
    let runs = &service.runs.clone();
    passes_once(runs, async || service.by_reference().await).await;
    passes_once(runs, async || service.by_mutable_reference().await).await;
    passes_once(runs, async || Pin::new(&mut service).by_pin().await).await;
    assert_eq!(service.text, "!");
}

#[tokio::test]
async fn values() {
    let service = Service::default();
    passes_once(&service.runs, async || service.clone().by_value().await).await;
    passes_once(&service.runs, async || service.clone().by_mutable_value().await).await;
}

#[tokio::test]
async fn smart_pointers() {
    let service = Arc::new(Service::default());
    passes_once(&service.runs, async || service.clone().by_arc().await).await;
    let shared = Rc::new(Service::default());
    passes_once(&shared.runs, async || shared.by_rc().await).await;
}

#[tokio::test]
async fn a_borrow_outlives_the_call() {
    let mut service = Service::default();
    let runs = service.runs.clone();
    passes_once(&runs, async || service.lends(&runs).await.map(str::len)).await;
    crate::harness::scoped(async {
        service.lends_mutably().await.unwrap().push('?');
        assert!(service.lends_mutably().await.is_err());
    })
    .await;
    assert_eq!(service.text, "?");
}
