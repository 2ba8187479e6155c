//! Who runs whose processes.

use std::fs;
use tidegate_engine::ids::WorkspaceId;

/// How workspaces are kept apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// The processes of each workspace run as a user of their own, counted from the first.
    Users { first: u32, count: u32 },
    /// All run as whoever runs the server: each can read and end the others'.
    None {
        why: Box<str>,
        /// More than one workspace may have processes all the same.
        is_shared: bool,
    },
}

impl Isolation {
    /// By a user for each workspace, if this process may have them.
    pub fn here(first: u32, count: u32, is_shared: bool) -> Isolation {
        let ids = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let why = if !rustix::process::geteuid().is_root() {
            Some("the server does not run as root")
        } else if !is_mapped(&ids("/proc/self/uid_map"), first, count)
            || !is_mapped(&ids("/proc/self/gid_map"), first, count)
        {
            Some("the configured users are not among those of this container")
        } else {
            None
        };
        match why {
            None => Isolation::Users { first, count },
            Some(why) => Isolation::None { why: why.into(), is_shared },
        }
    }

    /// Who runs the processes of a workspace: `None` for whoever runs the server. An error, in words, if nobody may.
    pub fn user(&self, workspace: WorkspaceId) -> Result<Option<u32>, String> {
        match self {
            Isolation::Users { first, count } if workspace.0 < *count => Ok(Some(first + workspace.0)),
            Isolation::Users { first, count } => {
                Err(format!("there is no user left for this workspace: {count} are configured, from {first}"))
            }
            Isolation::None { is_shared: true, .. } => Ok(None),
            Isolation::None { .. } if workspace == WorkspaceId::DEFAULT => Ok(None),
            Isolation::None { why, .. } => Err(format!(
                "workspaces are not kept apart here ({why}), so a second one is not served; \
                 `allow-shared-user` in the configuration allows it"
            )),
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Isolation::Users { .. } => "uid",
            Isolation::None { .. } => "none",
        }
    }

    /// What holds, in a sentence.
    pub fn text(&self) -> String {
        match self {
            Isolation::Users { first, count } => {
                let last = first + (count - 1);
                format!("the processes of each workspace run as a user of their own, from {first} to {last}")
            }
            Isolation::None { why, .. } => {
                format!("all processes run as the user of the server, and can read and end each other: {why}")
            }
        }
    }
}

/// Whether all of these numbers mean somebody, by a map of the kernel's: inside, outside, count.
fn is_mapped(map: &str, first: u32, count: u32) -> bool {
    let end = u64::from(first) + u64::from(count);
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
        let (from, length) = (numbers.next(), numbers.nth(1));
        from.zip(length).is_some_and(|(from, length)| from <= u64::from(first) && end <= from + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workspace_has_a_user_of_the_range() {
        let users = Isolation::Users { first: 1_000, count: 2 };
        assert_eq!(users.user(WorkspaceId::DEFAULT), Ok(Some(1_000)));
        assert_eq!(users.user(WorkspaceId(1)), Ok(Some(1_001)));
        assert!(users.user(WorkspaceId(2)).unwrap_err().contains("2 are configured"));
        assert!(users.text().ends_with("from 1000 to 1001"));
    }

    #[test]
    fn without_users_there_is_one_workspace_unless_it_is_allowed() {
        let none = |is_shared| Isolation::None { why: "so".into(), is_shared };
        assert_eq!(none(false).user(WorkspaceId::DEFAULT), Ok(None));
        assert!(none(false).user(WorkspaceId(1)).unwrap_err().contains("allow-shared-user"));
        assert_eq!(none(true).user(WorkspaceId(1)), Ok(None));
    }

    #[test]
    fn users_have_to_be_there() {
        assert!(is_mapped("         0          0 4294967295\n", 200_000, 10_000));
        assert!(!is_mapped("0 1000 1\n1 100000 65536\n", 200_000, 10_000));
        assert!(is_mapped("0 1000 1\n1 100000 65536\n", 60_000, 5_537));
        assert!(!is_mapped("0 1000 1\n1 100000 65536\n", 60_000, 5_538));
        assert!(!is_mapped("", 0, 1));
    }
}
