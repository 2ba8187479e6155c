//! The wire: request and response types, problem codes, limits, manifests.
