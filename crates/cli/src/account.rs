//! Who is asking, and where: `tidegate whoami`.

use crate::client::Client;
use crate::exit::{Outcome, print};
use crate::output::facts::Facts;
use crate::output::{Format, Output, document};
use tidegate_api::people::Membership;
use tidegate_api::server::{Version, Whoami};

pub(crate) const WHOAMI_EXAMPLES: &str = "Examples:
  tidegate whoami
  tidegate whoami -o json";

/// `default (owner)`, for each workspace.
pub(crate) fn rooms(memberships: &[Membership]) -> Vec<String> {
    memberships.iter().map(|member| format!("{} ({})", member.workspace, member.role)).collect()
}

pub(crate) fn whoami(client: &Client, output: Output) -> Outcome {
    let who: Whoami = client.get("/api/v1/whoami")?;
    match output.output {
        format @ (Format::Json | Format::Yaml) => document(format, &who),
        Format::Name => print(&format!("{}\n", who.user)),
        Format::Table | Format::Wide => {
            let version: Version = client.get("/version")?;
            let mut facts = Facts::default();
            facts
                .add("user", &who.user)
                .add("administrator", if who.administrator { "yes" } else { "no" })
                .lines("workspaces", rooms(&who.workspaces))
                .maybe("expires", who.expires_at)
                .add("server", format!("{} (version {})", client.server(), version.version))
                .add("found by", client.found().by);
            print(&facts.text())
        }
    }
}
