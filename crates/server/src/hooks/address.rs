//! Which addresses may be asked. Whoever sets a webhook makes the server send requests: it must not become their way
//! into the network that the server stands in.

use axum::http::Uri;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub secure: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// Host and port as they were written.
    pub authority: String,
    /// Path and query.
    pub path: String,
}

impl Target {
    /// Reads an address; what is wrong with it otherwise.
    pub fn parse(url: &str) -> Result<Target, String> {
        if url.contains(['#', '\\'])
            || !url.is_ascii()
            || url.bytes().any(|b| b.is_ascii_control() || b == b' ')
        {
            return Err("an address has ASCII letters, digits and marks, and no fragment".into());
        }
        let uri: Uri = url.parse().map_err(|error| format!("it is no address: {error}"))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("an address begins with http:// or https://".into()),
        };
        let authority = uri.authority().ok_or("an address names a host")?;
        if authority.as_str().contains('@') {
            return Err("an address carries no user and no password: messages are signed instead".into());
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err("an address names a host".into());
        }
        let port = match (authority.port_u16(), authority.as_str() == authority.host()) {
            (Some(port), _) if port > 0 => port,
            (None, true) if secure => 443,
            (None, true) => 80,
            _ => return Err("a port is a number from 1 to 65535".into()),
        };
        Ok(Target {
            secure,
            host: host.to_string(),
            port,
            authority: authority.to_string(),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_string(),
        })
    }

    /// Where it leads to at this moment. An error if any of that is not public, unless that is allowed: whoever rules the
    /// name could answer one address to the check and another to the connection.
    pub async fn resolve(&self, allow_private: bool) -> Result<Vec<SocketAddr>, String> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found: Vec<SocketAddr> =
            found.map_err(|error| format!("{} cannot be found: {error}", self.host))?.collect();
        if found.is_empty() {
            return Err(format!("{} has no address", self.host));
        }
        if !allow_private && let Some(closed) = found.iter().find(|address| !is_public(address.ip())) {
            return Err(format!("{} leads to {}, which is not a public address", self.host, closed.ip()));
        }
        Ok(found)
    }
}

/// Whether an address is one of the Internet's, and stands for no other.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let closed = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation();
    let [a, b, c, _] = address.octets();
    // This network; shared by carriers; protocols; relays; measurements; reserved, with broadcast.
    let special = matches!(
        (a, b, c),
        (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _) | (240.., ..)
    );
    !closed && !special
}

/// What is given out to the Internet is all in 2000::/3. So loopback, link-local, unique local, multicast, and addresses
/// that carry one of IPv4 (mapped, compatible, translated) are refused without being named.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let global = segments[0] & 0xe000 == 0x2000;
    // Protocols, with Teredo; documentation; 6to4, which carries an address of IPv4; documentation.
    let special = matches!(
        segments,
        [0x2001, 0..=0x01ff, ..] | [0x2001, 0x0db8, ..] | [0x2002, ..] | [0x3fff, 0..=0x0fff, ..]
    );
    global && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inside_is_not_public() {
        for closed in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::ffff:10.0.0.1",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(closed.parse().expect(closed)), "{closed}");
        }
        for open in [
            "8.8.8.8",
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00::1",
        ] {
            assert!(is_public(open.parse().expect(open)), "{open}");
        }
    }

    #[test]
    fn addresses_are_read() {
        let target = Target::parse("https://hooks.example:8443/a/b?c=d").expect("an address");
        assert_eq!(
            (target.secure, &*target.host, target.port, &*target.path),
            (true, "hooks.example", 8443, "/a/b?c=d")
        );
        let target = Target::parse("http://[2001:db8::1]").expect("an address");
        assert_eq!((&*target.host, target.port, &*target.path), ("2001:db8::1", 80, "/"));
    }

    #[test]
    fn tricks_are_no_addresses() {
        for url in [
            "",
            "hooks.example",
            "/x",
            "ftp://a/",
            "file:///etc/passwd",
            "gopher://a/",
            "javascript:alert(1)",
            "http://",
            "http:///x",
            "http://user@a/",
            "http://user:word@a/",
            "http://a@127.0.0.1/",
            "http://a/#b",
            "http://a\\@b/",
            "http://a b/",
            "http://a/\nHost: b",
            "http://a:0/",
            "http://a:99999/",
            "http://exämple/",
            "unix:/run/x.sock",
        ] {
            assert!(Target::parse(url).is_err(), "{url:?}");
        }
    }

    #[tokio::test]
    async fn names_and_figures_of_the_inside_are_refused() {
        for url in [
            "http://127.0.0.1/",
            "http://localhost/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://0/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://169.254.169.254/latest/",
            "http://10.1.2.3/",
            "http://[fe80::1]/",
            "http://0.0.0.0:8080/",
        ] {
            let target = Target::parse(url);
            let refused = match &target {
                Ok(target) => target.resolve(false).await.is_err(),
                Err(_) => true,
            };
            assert!(refused, "{url}");
        }
        let here = Target::parse("http://127.0.0.1:9/").expect("an address");
        assert_eq!(here.resolve(true).await, Ok(vec!["127.0.0.1:9".parse().expect("an address")]));
        assert!(Target::parse("http://8.8.8.8/").expect("an address").resolve(false).await.is_ok());
    }
}
