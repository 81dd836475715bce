//! The layer as a handler of salvo, which `hoop` puts around other handlers.

use crate::layer::RateLimitLayer;
use salvo_core::routing::FlowCtrl;
use salvo_core::{Depot, Handler, Request, Response, Scribe, async_trait};

/// Use it with `Router::hoop`, or with `Service::hoop`, which also covers requests without a route.
///
/// A handler that calls `ctrl.cease()` asks the handlers around it not to change the response. After such a call, the layer
/// adds nothing to the response.
#[async_trait]
impl Handler for RateLimitLayer {
    async fn handle(
        &self,
        request: &mut Request,
        depot: &mut Depot,
        response: &mut Response,
        ctrl: &mut FlowCtrl,
    ) {
        let settings = &self.settings;
        let entered = settings.enter(request);
        let context = &entered.context;
        let deciding = settings.decide(context, request);
        let answer = async |()| ctrl.call_next(request, depot, response).await;
        if let Err((rejection, ())) = settings.pass(context, deciding, (), answer).await {
            ctrl.skip_rest();
            context.sync_scope(|| {
                rejection.render(response);
                settings.finish(&entered, response);
            });
            return;
        }
        if !ctrl.is_ceased() {
            // Runs inside the context, because the context chooses the form of answers.
            context.sync_scope(|| settings.finish(&entered, response));
        }
    }
}
