//! How a receiver knows that a message is from here: HMAC-SHA256 (RFC 2104) over the time and the body.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Bytes that SHA-256 takes at once.
const BLOCK: usize = 64;

fn hmac(key: &[u8], message: &[&[u8]]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36));
    message.iter().for_each(|part| inner.update(part));
    let outer = Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

/// The value of `X-Tidegate-Signature`. The time is signed, too: a receiver can refuse what is old.
pub(super) fn signature(secret: &str, unix: u64, body: &[u8]) -> String {
    let time = unix.to_string();
    let code = hmac(secret.as_bytes(), &[time.as_bytes(), b".", body]);
    let mut text = format!("t={time},v1=");
    for byte in code {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: [u8; 32]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_examples_of_rfc_4231_come_out() {
        let cases: [(&[u8], &[u8], &str); 3] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, message, expected) in cases {
            assert_eq!(hex(hmac(key, &[message])), expected);
        }
    }

    #[test]
    fn the_time_is_part_of_it() {
        let (a, b) = (signature("s", 1, b"{}"), signature("s", 2, b"{}"));
        assert!(a.starts_with("t=1,v1=") && b.starts_with("t=2,v1="));
        assert_ne!(a[7..], b[7..]);
    }
}
