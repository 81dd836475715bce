//! `UnderWay`: work whose result many calls wait for. The calls are woken in the order in which they began to wait.

use std::sync::Arc;
use tokio::sync::SetOnce;

/// Waits for the result of the work. Clones wait for the same result.
#[derive(Clone)]
pub(crate) struct UnderWay<T>(Arc<SetOnce<Option<T>>>);

/// Sets the result of the work. If an `Ending` is dropped before it has set a result, for example because its runtime shuts
/// down, the result is `None`, and no call waits any longer.
pub(crate) struct Ending<T>(Arc<SetOnce<Option<T>>>);

impl<T: Clone> UnderWay<T> {
    pub(crate) fn start() -> (Ending<T>, Self) {
        let result = Arc::new(SetOnce::new());
        (Ending(Arc::clone(&result)), Self(result))
    }

    /// Returns `false` if the work was dropped without a result, so that no result will come.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.get().is_none_or(Option::is_some)
    }

    /// Returns whether the work has a result.
    pub(crate) fn has_result(&self) -> bool {
        self.0.get().is_some_and(Option::is_some)
    }

    /// Waits for the result. It is `None` if the work was dropped.
    pub(crate) async fn result(&self) -> Option<T> {
        self.0.wait().await.clone()
    }
}

impl<T> Ending<T> {
    pub(crate) fn with(self, result: T) {
        let _ = self.0.set(Some(result));
    }
}

impl<T> Drop for Ending<T> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[tokio::test]
    async fn all_are_woken_in_their_order() {
        let (ending, under_way) = UnderWay::start();
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..30)
            .map(|number| {
                let (under_way, order) = (under_way.clone(), Arc::clone(&order));
                tokio::spawn(async move {
                    assert_eq!(under_way.result().await, Some("done"));
                    order.lock().unwrap().push(number);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        ending.with("done");
        for waiting in waiting {
            waiting.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..30).collect::<Vec<_>>());
        assert!(under_way.is_alive() && under_way.result().await.is_some());
    }

    #[tokio::test]
    async fn dropped_work_has_no_result() {
        let (ending, under_way) = UnderWay::<()>::start();
        assert!(under_way.is_alive());
        let waiting = tokio::spawn({
            let under_way = under_way.clone();
            async move { under_way.result().await }
        });
        tokio::task::yield_now().await;
        drop(ending);
        assert_eq!((waiting.await.unwrap(), under_way.result().await), (None, None));
        assert!(!under_way.is_alive());
    }
}
