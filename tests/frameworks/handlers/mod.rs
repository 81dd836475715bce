//! Handlers of public applications with their real signatures, one file per framework.

mod salvo;
