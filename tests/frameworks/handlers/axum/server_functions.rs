//! Server functions of leptos and dioxus. TODO
