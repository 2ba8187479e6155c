//! Logging in over HTTP, and what somebody may try who should not be let in.

#[path = "../authority/mod.rs"]
mod authority;
mod browser;
#[path = "../house/mod.rs"]
mod house;
mod invitations;
mod oidc;
mod provider;
mod sessions;
