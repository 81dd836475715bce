//! `Answers`: the form of the answers to refused requests.

use super::recorded::RecordedDecision;
use super::{Answer, problem};
use crate::error::{Error, ErrorKind};
use crate::macros::opaque;
use crate::rejection::Rejection;
use once_cell::sync::OnceCell;
use std::sync::Arc;

type Change = dyn Fn(&Rejection, &mut Answer) + Send + Sync;

/// The form of the answers to refused requests: plain text, problem details, or the application's own.
///
/// Set it once with [`install_answers`](crate::answer::install_answers), or for single requests with
/// [`RequestContext::with_answers`](crate::context::RequestContext::with_answers). A clone is cheap. The default is
/// [`text`](Self::text).
#[derive(Clone, Default)]
#[must_use]
pub struct Answers(Form);

#[derive(Clone, Default)]
enum Form {
    #[default]
    Text,
    Problem,
    Custom(Arc<Change>),
}

impl Answers {
    /// Plain text: `too many requests: try again in 42 seconds`.
    pub const fn text() -> Self {
        Self(Form::Text)
    }

    /// Problem details (RFC 9457), `application/problem+json`, with the problem type of draft-ietf-httpapi-ratelimit-headers-11:
    ///
    /// ```json
    /// {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded","status":429,"violated-policies":["login"]}
    /// ```
    ///
    /// `violated-policies` has the [public names](Rejection::public_name) of all limits that refused the request. Without a
    /// [`RequestContext`](crate::context::RequestContext) it has only one name: that of the limit with the longest wait.
    pub const fn problem_json() -> Self {
        Self(Form::Problem)
    }

    /// The application's own form. The closure receives the answer in plain text, with status and `Retry-After`, and may change
    /// any of it.
    ///
    /// ```
    /// use ratelimit::answer::Answers;
    ///
    /// let answers = Answers::custom(|rejection, answer| {
    ///     let wait = answer.retry_after.map_or("null".to_owned(), |seconds| seconds.to_string());
    ///     answer.set_json(format!(r#"{{"error":{},"retry_after":{wait}}}"#, rejection.status()));
    /// });
    /// # let _ = answers;
    /// ```
    ///
    /// The closure must not call [`Rejection::answer`], because that would call the closure again, in an endless recursion.
    ///
    /// A status below 200 or above 599, and a content type that is not printable ASCII, are replaced, and an error is logged
    /// once. Do not send [`Rejection::name`], which may contain the modules of a function: send
    /// [`Rejection::public_name`].
    pub fn custom(change: impl Fn(&Rejection, &mut Answer) + Send + Sync + 'static) -> Self {
        Self(Form::Custom(Arc::new(change)))
    }
}

opaque!(Answers);

/// The installed form.
static PROCESS: OnceCell<Answers> = OnceCell::new();

/// Installs the form of the answers to refused requests in this process. Call it once, before the server starts. Until then,
/// answers are plain text.
///
/// A [`RequestContext`](crate::context::RequestContext) with its own form takes precedence.
///
/// ```
/// use ratelimit::answer::Answers;
/// # use ratelimit::{Limit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
/// ratelimit::answer::install_answers(Answers::problem_json())?;
/// # let closed = Limit::try_counter(0, std::time::Duration::from_secs(1)).unwrap();
/// # let rejection = RateLimiter::in_memory().check(&closed, "closed").await.unwrap_err();
/// # assert_eq!(rejection.answer().content_type, "application/problem+json");
/// # assert!(ratelimit::answer::install_answers(Answers::text()).is_err());
/// # assert_eq!(rejection.answer().content_type, "application/problem+json");
/// # let own = ratelimit::context::RequestContext::new().with_answers(Answers::text());
/// # let of_request = own.scope(async { rejection.answer() }).await;
/// # assert_eq!(of_request.content_type, "text/plain; charset=utf-8");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// If a form is already installed. The installed form stays in use.
pub fn install_answers(answers: Answers) -> Result<(), Error> {
    PROCESS.set(answers).map_err(|_| {
        Error::new(
            ErrorKind::Configuration,
            "a form of answers is already installed; install one per process, or use `RequestContext::with_answers`",
        )
    })
}

impl Answer {
    /// Without `own`, the installed form applies. If no form is installed, the answer is plain text. `decisions` returns the
    /// decisions that were made for the same request.
    pub(crate) fn of(
        rejection: &Rejection,
        own: Option<&Answers>,
        decisions: impl FnOnce() -> Vec<RecordedDecision>,
    ) -> Self {
        let mut answer = Self::text(rejection);
        match own.or(PROCESS.get()) {
            None | Some(Answers(Form::Text)) => answer,
            Some(Answers(Form::Problem)) => {
                problem::write(rejection, &decisions(), &mut answer);
                answer
            }
            Some(Answers(Form::Custom(change))) => {
                change(rejection, &mut answer);
                answer.sendable(rejection)
            }
        }
    }
}
