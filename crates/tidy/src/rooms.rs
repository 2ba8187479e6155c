//! Which crate may depend on which. The direction is the architecture.

use crate::{Finding, numbered};

/// A room (the folder below `crates/`) and the rooms that it may depend on, tests included.
/// A room that is in no list of another's is depended on by nobody.
const ROOMS: &[(&str, &[&str])] = &[
    ("engine", &[]),
    ("check", &["engine"]),
    ("sim", &["engine", "check"]),
    ("store", &[]),
    ("identity", &["engine"]),
    ("billing", &["engine"]),
    ("api", &["engine"]),
    ("executor", &["engine"]),
    ("server", &["engine", "check", "sim", "store", "identity", "billing", "api", "executor"]),
    ("cli", &["engine", "check", "sim", "store", "identity", "billing", "api", "executor", "server"]),
    ("bench", &["engine", "check", "sim", "identity", "billing", "api", "executor", "server", "store"]),
    ("props", &["engine", "check", "sim", "executor"]),
    ("tidy", &[]),
];

/// The manifest of one room.
#[derive(Clone, Copy, Debug)]
pub struct Manifest<'a> {
    pub room: &'a str,
    pub text: &'a str,
}

/// For each manifest, in order, what it depends on and should not.
pub fn wrong_direction(manifests: &[Manifest]) -> Vec<(String, Finding)> {
    let packages: Vec<(&str, &str)> =
        manifests.iter().filter_map(|m| Some((package_name(m.text)?, m.room))).collect();
    let mut findings = Vec::new();
    for manifest in manifests {
        let mut report = |finding| findings.push((manifest.room.to_string(), finding));
        let Some((_, allowed)) = ROOMS.iter().find(|(room, _)| *room == manifest.room) else {
            report(Finding::of_file("a room without a row in `ROOMS`: say what it may depend on"));
            continue;
        };
        for (line, package) in dependencies(manifest.text) {
            if let Some((_, room)) = packages.iter().find(|(name, _)| *name == package)
                && !allowed.contains(room)
            {
                report(Finding::at(line, format!("depends on `{room}`; it may depend on {allowed:?} only")));
            }
        }
    }
    findings
}

fn package_name(manifest: &str) -> Option<&str> {
    let line = manifest.lines().skip_while(|line| *line != "[package]").find(|line| is_key(line, "name"))?;
    line.split('"').nth(1)
}

fn is_key(line: &str, key: &str) -> bool {
    line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// The packages of all dependency tables of a manifest, with their lines. Renamed ones by their own name.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_list = false;
    for (number, line) in numbered(manifest) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            in_list = table.ends_with("dependencies");
            if let Some((_, package)) = table.rsplit_once("dependencies.") {
                found.push((number, package.trim_matches('"')));
            }
        } else if in_list && let Some(key) = line.split(['.', '=', ' ']).next().filter(|key| !key.is_empty())
        {
            found.push((number, key.trim_matches('"')));
        }
        if let Some((_, renamed)) = line.split_once("package = \"") {
            found.extend(renamed.split('"').next().map(|package| (number, package)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, rest: &str) -> String {
        format!("[package]\nname = \"tidegate-{name}\"\n\n{rest}\n")
    }

    /// `room` with `rest` in its manifest, in a house where all the other rooms depend on nothing.
    fn check(room: &str, rest: &str) -> Vec<(String, usize)> {
        let texts: Vec<(&str, String)> = ROOMS
            .iter()
            .map(|(name, _)| *name)
            .chain((room == "attic").then_some("attic"))
            .map(|name| (name, manifest(name, if name == room { rest } else { "" })))
            .collect();
        let manifests: Vec<Manifest> = texts.iter().map(|(room, text)| Manifest { room, text }).collect();
        wrong_direction(&manifests).into_iter().map(|(room, finding)| (room, finding.line)).collect()
    }

    #[test]
    fn the_allowed_direction_passes() {
        assert_eq!(check("sim", "[dependencies]\ntidegate-engine.workspace = true\nserde = \"1\""), []);
        assert_eq!(check("cli", "[dependencies]\ntidegate-sim = { path = \"../sim\" }"), []);
    }

    #[test]
    fn every_way_to_write_a_wrong_dependency_is_found() {
        for (rest, line) in [
            ("[dependencies]\ntidegate-check.workspace = true", 5),
            ("[dependencies]\ntidegate-check = { path = \"../check\" }", 5),
            ("[dependencies]\n\"tidegate-check\" = \"1\"", 5),
            ("[dependencies.tidegate-check]\npath = \"../check\"", 4),
            ("[dev-dependencies]\ntidegate-check.workspace = true", 5),
            ("[target.'cfg(unix)'.build-dependencies]\ntidegate-check = \"1\"", 5),
            ("[dependencies]\nverify = { package = \"tidegate-check\", path = \"../check\" }", 5),
            ("[dependencies.verify]\npackage = \"tidegate-check\"", 5),
        ] {
            assert_eq!(check("engine", rest), [("engine".to_string(), line)], "{rest}");
        }
    }

    #[test]
    fn nothing_depends_on_the_outermost_rooms() {
        for outer in ["cli", "bench", "props", "tidy"] {
            for (room, _) in ROOMS {
                let rest = format!("[dependencies]\ntidegate-{outer} = \"1\"");
                assert_eq!(check(room, &rest), [(room.to_string(), 5)], "{room} -> {outer}");
            }
        }
    }

    #[test]
    fn keys_outside_dependency_tables_and_comments_do_not_count() {
        assert_eq!(check("engine", "[features]\ntidegate-check = []"), []);
        assert_eq!(check("engine", "[dependencies]\n# tidegate-check = \"1\""), []);
    }

    #[test]
    fn a_room_without_a_row_is_found() {
        assert_eq!(check("attic", ""), [("attic".to_string(), 0)]);
    }
}
