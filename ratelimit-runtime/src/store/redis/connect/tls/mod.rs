//! Encrypted connections. They need the feature `tls`.

#[cfg(not(feature = "tls"))]
mod disabled;
#[cfg(feature = "tls")]
mod enabled;

#[cfg(not(feature = "tls"))]
pub(super) use disabled::Tls;
#[cfg(feature = "tls")]
pub(super) use enabled::Tls;

/// The PEM files that a URL names.
#[derive(Default)]
#[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only the feature `tls` reads the files"))]
pub(super) struct PemFiles<'u> {
    /// The certificates of the trusted authorities. Without them, those of the system apply.
    pub(super) authorities: Option<&'u str>,
    /// The certificate that this client presents.
    pub(super) certificate: Option<&'u str>,
    /// The private key of `certificate`.
    pub(super) key: Option<&'u str>,
}
