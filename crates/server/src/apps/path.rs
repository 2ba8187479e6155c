//! Paths below the listener: `/WORKSPACE/NAME/...`.

/// What a path asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target<'a> {
    /// `WORKSPACE/NAME`, as the directory knows it.
    pub(super) key: &'a str,
    pub(super) name: &'a str,
    /// What follows: nothing, or a slash and more.
    pub(super) rest: &'a str,
}

impl Target<'_> {
    pub(super) fn workspace(&self) -> &str {
        self.key.split_once('/').map_or("", |(workspace, _)| workspace)
    }
}

/// The workload that a path names, as it is written: names need no escapes, so what has some names nobody.
pub(super) fn target(path: &str) -> Option<Target<'_>> {
    let path = path.strip_prefix('/')?;
    let workspace = path.find('/')?;
    let end = path[workspace + 1..].find('/').map_or(path.len(), |at| workspace + 1 + at);
    let (key, rest) = path.split_at(end);
    let name = &key[workspace + 1..];
    (workspace > 0 && !name.is_empty()).then_some(Target { key, name, rest })
}

/// Whether somebody who decodes the path could leave what it begins with. No browser sends such a path.
pub(super) fn climbs(path: &str) -> bool {
    // Both must be there for a step upwards, and hardly ever are.
    let escaped = path.contains('%');
    if !path.contains("..") && !escaped {
        return false;
    }
    let mut plain = path.to_ascii_lowercase();
    if escaped {
        plain = plain.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    }
    plain.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_workload_and_a_rest() {
        let of = |path| target(path).map(|t| (t.key, t.name, t.rest));
        assert_eq!(of("/default/web/a/b"), Some(("default/web", "web", "/a/b")));
        assert_eq!(of("/default/web//a"), Some(("default/web", "web", "//a")));
        assert_eq!(of("/default/web/"), Some(("default/web", "web", "/")));
        assert_eq!(of("/default/web"), Some(("default/web", "web", "")));
        for nothing in ["/", "/default", "/default/", "//web/", "//", "", "*", "default/web", "/default//x"] {
            assert_eq!(of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn who_climbs_is_noticed_however_it_is_written() {
        let climbing =
            ["/../x", "/a/..", "/..%2fx", "/%2e%2E/x", "/.%2e", "/a%2F..%2Fb", "/..\\x", "/a%5c..%5Cb"];
        for path in climbing {
            assert!(climbs(path), "{path}");
        }
        for path in ["/", "/a..b/", "/...", "/a/.b", "//", "/a%2fb", "/%2525", "/1..2", "/..a", "/%2e%2ea"] {
            assert!(!climbs(path), "{path}");
        }
    }
}
