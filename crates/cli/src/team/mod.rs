//! Teams: workspaces and their members, users, service accounts, tokens and roles.

pub(crate) mod member;
pub(crate) mod role;
pub(crate) mod service_account;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod workspace;
