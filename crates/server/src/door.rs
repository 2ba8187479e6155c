//! The listener of notebooks and services.

use crate::apps::{Apps, Stand, Visitor};
use crate::config::Config;
use crate::net::lanes::Lanes;
use crate::net::listen::{closed, listen, serve};
use crate::net::tls;
use crate::serve::ServeError;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A listener that is open, and how it stands in the world.
pub struct Door {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    lanes: Lanes,
    pub stand: Stand,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").field("listener", &self.listener).field("stand", &self.stand).finish()
    }
}

impl Door {
    /// Listens on an address; on a free port beside it if somebody is there and nobody asked for just that one.
    pub fn open(config: &Config, (address, is_asked): (SocketAddr, bool)) -> Result<Door, ServeError> {
        let (certificate, key) = (config.tls_cert.as_deref(), config.tls_key.as_deref());
        let tls =
            tls::acceptor(address, certificate, key, config.insecure_listen).map_err(ServeError::Tls)?;
        let free = SocketAddr::new(address.ip(), 0);
        let listener = match listen(address) {
            Err(why) if why.kind() == io::ErrorKind::AddrInUse && !is_asked => {
                tracing::warn!(%address, "somebody listens there: notebooks and services get a free port");
                listen(free)
            }
            opened => opened,
        };
        let failed = |why| ServeError::Listen { address, why };
        let listener = listener.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let is_secure = tls.is_some();
        let scheme = if is_secure { "https" } else { "http" };
        let own = || format!("{scheme}://{}", reachable(local));
        let base = config.apps_url.as_ref().map_or_else(own, |url| url.0.clone());
        // A browser comes by TLS if what stands before us does it.
        let is_secure = is_secure || base.starts_with("https://");
        let stand = Stand { base, is_secure, is_fronted: config.insecure_listen };
        let lanes = Lanes::start("apps").map_err(ServeError::Thread)?;
        Ok(Door { listener, tls, lanes, stand })
    }

    /// Passes requests on until `closing` turns true.
    pub async fn serve(self, apps: Apps, closing: watch::Receiver<bool>) {
        let (limits, mut ending) = (apps.limits.net.clone(), closing.clone());
        let looked_after = async {
            tokio::select! {
                () = apps.look_after() => {}
                () = closed(&mut ending) => apps.close(),
            }
        };
        let for_peer = |peer| Visitor { apps: apps.clone(), peer };
        tokio::join!(
            serve(self.listener, self.tls, for_peer, limits, Some(&self.lanes), closing),
            looked_after
        );
    }
}

/// An address that somebody on this machine can connect to.
pub fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_is_reached_here() {
        for (listens, reached) in
            [("0.0.0.0:7070", "127.0.0.1:7070"), ("[::]:1", "[::1]:1"), ("10.0.0.1:2", "10.0.0.1:2")]
        {
            assert_eq!(reachable(listens.parse().expect("an address")).to_string(), reached);
        }
    }
}
