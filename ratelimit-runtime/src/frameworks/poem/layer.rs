//! The layer as a middleware of poem.

use crate::answer::Answered;
use crate::context::RequestContext;
use crate::layer::{Entered, RateLimitLayer, RateLimitService};
use crate::rejection::Rejection;
use poem::error::ResponseError;
use poem::{Endpoint, Error, IntoResponse, Middleware, PathPattern, Request, Response, Result};

/// A refusal inside the layer becomes a response, so that no middleware outside the layer can remove its `Retry-After`.
///
/// Any other error of a limited request stays an error, so that the middlewares outside the layer can log the error or roll
/// back. The error keeps its status, its message and its response, and the response gets the header fields. But the error loses
/// its type: add `catch_error` inside the layer, or use `catch_all_error`. Errors of requests without limits pass unchanged.
impl<E: Endpoint> Middleware<E> for RateLimitLayer {
    type Output = RateLimitService<E>;

    fn transform(&self, endpoint: E) -> RateLimitService<E> {
        self.around(endpoint)
    }
}

impl<E: Endpoint> Endpoint for RateLimitService<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let entered = self.settings.enter(&request);
        let deciding = self.settings.decide(&entered.context, &request);
        let answer = async |request| self.inner.call(request).await.map(IntoResponse::into_response);
        let answered = self.settings.pass(&entered.context, deciding, request, answer).await;
        self.finish(&entered, answered.unwrap_or_else(|(rejection, _)| Err(rejection.into())))
    }
}

impl<E> RateLimitService<E> {
    /// Completes the response within the request's context, because the context chooses the form of answers.
    fn finish(&self, entered: &Entered, answered: Result<Response>) -> Result<Response> {
        entered.context.sync_scope(|| match answered.or_else(answer) {
            Ok(mut response) => {
                self.settings.finish(entered, &mut response);
                Ok(response)
            }
            Err(error) => Err(self.finish_error(entered, error)),
        })
    }

    /// Completes the response that will be made from an error.
    fn finish_error(&self, entered: &Entered, error: Error) -> Error {
        let context = &entered.context;
        if context.rejection().is_none()
            && let Some(rejection) = Rejection::find(&error)
        {
            // The rejection may come from a task without a context, where it could not be recorded. So it is recorded here.
            RequestContext::record_rejection(rejection);
        }
        if !entered.is_outermost || (context.rejection().is_none() && context.decisions().is_empty()) {
            return error;
        }
        let (message, pattern) = (error.to_string(), error.data::<PathPattern>().cloned());
        let mut response = error.into_response();
        self.settings.finish(entered, &mut response);
        // Only an error that was made from a response has headers that can be changed.
        let mut error = Error::from_response(response);
        error.set_error_message(message);
        if let Some(pattern) = pattern {
            error.set_data(pattern); // for the metrics of poem
        }
        error
    }
}

/// Converts the error of a rejection into its response. Other errors stay errors.
fn answer(error: Error) -> Result<Response> {
    let is_answer = error.downcast_ref().is_some_and(|rejection: &Rejection| {
        // If the application has given the error another status, that status stays.
        error.status() == ResponseError::status(rejection)
    });
    if !is_answer {
        return Err(error);
    }
    let mut response = error.into_response();
    response.set_data(Answered); // the error's extensions have replaced those of the response
    Ok(response)
}
