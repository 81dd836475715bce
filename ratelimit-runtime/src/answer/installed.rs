//! The form of answers of this process.

use super::Answers;
use once_cell::sync::OnceCell;
use std::fmt;

static PROCESS: OnceCell<Answers> = OnceCell::new();

/// Installs the form of the answers to refused requests in this process. Call it once, before the server starts. Until then,
/// answers are plain text.
///
/// A [`RequestContext`](crate::context::RequestContext) with a form of its own wins.
///
/// ```
/// use ratelimit::answer::Answers;
/// # use ratelimit::{Limit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::answer::InstallAnswersError> {
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
/// If a form is already installed, which then stays.
pub fn install_answers(answers: Answers) -> Result<(), InstallAnswersError> {
    PROCESS.set(answers).map_err(|_| InstallAnswersError(()))
}

/// The form that is installed.
pub(super) fn answers() -> Option<&'static Answers> {
    PROCESS.get()
}

/// The error of [`install_answers`]: a form of answers is already installed.
#[derive(Clone)]
pub struct InstallAnswersError(());

impl fmt::Display for InstallAnswersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a form of answers is already installed; install one per process, or use `RequestContext::with_answers`",
        )
    }
}

impl fmt::Debug for InstallAnswersError {
    /// Shows the message, because a `main` that returns an error prints this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for InstallAnswersError {}
