//! Signed claims (JWT, RFC 7519) of a provider: read, and believed if everything about them holds.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tidegate_engine::ids::Tick;

/// Clocks differ a little.
const LEEWAY: u64 = 60;
/// Characters of what a provider calls somebody.
const MAX_SUBJECT: usize = 255;

/// A public key of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    /// Modulus and exponent.
    Rsa(Vec<u8>, Vec<u8>),
    /// A point, uncompressed.
    P256(Vec<u8>),
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Value>,
}

/// Keys that can be used; a provider may have others.
pub(super) fn keys(document: &[u8]) -> Result<Vec<Key>, String> {
    let set: Jwks =
        serde_json::from_slice(document).map_err(|why| format!("its keys cannot be read: {why}"))?;
    Ok(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).filter_map(key).collect())
}

fn key(jwk: Jwk) -> Option<Key> {
    let bytes = |text: Option<String>| URL_SAFE_NO_PAD.decode(text?).ok();
    if jwk.usage.is_some_and(|usage| usage != "sig") {
        return None;
    }
    let material = match jwk.kty.as_str() {
        "RSA" => Material::Rsa(bytes(jwk.n)?, bytes(jwk.e)?),
        "EC" if jwk.crv.as_deref() == Some("P-256") => {
            let (x, y) = (bytes(jwk.x)?, bytes(jwk.y)?);
            let point = [&[4][..], &x, &y].concat();
            (x.len() == 32 && y.len() == 32).then_some(Material::P256(point))?
        }
        _ => return None,
    };
    Some(Key { id: jwk.kid, material })
}

/// What claims must say.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client: &'a str,
    pub(super) nonce: &'a str,
    pub(super) now: Tick,
}

/// Why claims are not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// None of the keys that are known is the one that it names.
    UnknownKey,
    Because(&'static str),
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

/// The claims, if they are the provider's, for us, of this log-in, and of now.
pub(super) fn verify(
    token: &str,
    keys: &[Key],
    expected: &Expected<'_>,
) -> Result<Map<String, Value>, Wrong> {
    let unreadable = Wrong::Because("it is no signed token");
    let mut parts = token.split('.');
    let (Some(header), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(unreadable);
    };
    let decoded =
        |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| Wrong::Because("it is no signed token"));
    let head: Header = serde_json::from_slice(&decoded(header)?).map_err(|_| unreadable.clone())?;
    if head.crit.is_some() {
        return Err(Wrong::Because("it asks for extensions that are not known"));
    }
    let signed = &token[..header.len() + 1 + claims.len()];
    check_signature(&head, keys, signed.as_bytes(), &decoded(signature)?)?;
    let claims: Map<String, Value> = serde_json::from_slice(&decoded(claims)?).map_err(|_| unreadable)?;
    check_claims(&claims, expected)?;
    Ok(claims)
}

/// The algorithm is one of two, and the key must be of its kind: a token does not choose how it is checked.
fn check_signature(head: &Header, keys: &[Key], signed: &[u8], signature: &[u8]) -> Result<(), Wrong> {
    let is_rsa = match head.alg.as_str() {
        "RS256" => true,
        "ES256" => false,
        _ => return Err(Wrong::Because("it is signed neither by RS256 nor by ES256")),
    };
    let fits = |key: &&Key| {
        let is_named = head.kid.is_none() || head.kid == key.id;
        is_named && is_rsa == matches!(key.material, Material::Rsa(..))
    };
    let mut fitting = keys.iter().filter(fits).peekable();
    if fitting.peek().is_none() {
        return Err(Wrong::UnknownKey);
    }
    let is_by = |key: &Key| match &key.material {
        Material::Rsa(n, e) => {
            RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).is_ok()
        }
        Material::P256(point) => {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature).is_ok()
        }
    };
    if fitting.any(is_by) { Ok(()) } else { Err(Wrong::Because("its signature is wrong")) }
}

fn check_claims(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<(), Wrong> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let time = |name: &str| claims.get(name).and_then(Value::as_f64);
    let is_for = |audience: &Value| audience.as_str() == Some(expected.client);
    let (is_ours, is_shared) = match claims.get("aud") {
        Some(Value::Array(all)) => (all.iter().any(is_for), all.len() > 1),
        Some(one) => (is_for(one), false),
        None => (false, false),
    };
    let party = claims.get("azp");
    let now = (expected.now.0 / 1_000) as f64;
    let leeway = LEEWAY as f64;
    let is_subject = |subject: &str| !subject.is_empty() && subject.len() <= MAX_SUBJECT;
    let rules = [
        (text("iss") == Some(expected.issuer), "it is of another issuer"),
        (is_ours, "it is for somebody else"),
        (party.map_or(!is_shared, is_for), "it was given to somebody else"),
        (text("nonce") == Some(expected.nonce), "it is of another log-in"),
        (time("exp").is_some_and(|exp| now < exp + leeway), "it has expired"),
        (time("iat").is_some_and(|iat| iat <= now + leeway), "it is of the future"),
        (
            !claims.contains_key("nbf") || time("nbf").is_some_and(|nbf| nbf <= now + leeway),
            "it is of the future",
        ),
        (text("sub").is_some_and(is_subject), "it does not say whom it is about"),
    ];
    rules.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, why)| Err(Wrong::Because(why)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// RFC 7515, appendix A.2: signed by RS256.
    const RSA: &str = r#"{"keys":[{"kty":"RSA","kid":"a","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]}"#;
    const RSA_SIGNED: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const RSA_SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    /// Appendix A.3: signed by ES256.
    const EC: &str = r#"{"keys":[{"kty":"oct","k":"x"},{"kty":"EC","crv":"P-256","kid":"b","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;
    const EC_SIGNED: &str = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const EC_SIGNATURE: &str =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

    fn checked(
        alg: &str,
        kid: Option<&str>,
        keys: &[Key],
        signed: &str,
        signature: &str,
    ) -> Result<(), Wrong> {
        let head = Header { alg: alg.into(), kid: kid.map(Into::into), crit: None };
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        check_signature(&head, keys, signed.as_bytes(), &signature)
    }

    #[test]
    fn signatures_of_the_standard_are_believed_and_no_others() {
        let (rsa, ec) = (keys(RSA.as_bytes()).expect("keys"), keys(EC.as_bytes()).expect("keys"));
        assert_eq!(ec.len(), 1, "a secret that is shared is no public key");
        assert_eq!(checked("RS256", None, &rsa, RSA_SIGNED, RSA_SIGNATURE), Ok(()));
        assert_eq!(checked("RS256", Some("a"), &rsa, RSA_SIGNED, RSA_SIGNATURE), Ok(()));
        assert_eq!(checked("ES256", None, &ec, EC_SIGNED, EC_SIGNATURE), Ok(()));
        assert_eq!(checked("ES256", Some("x"), &ec, EC_SIGNED, EC_SIGNATURE), Err(Wrong::UnknownKey));
        assert_eq!(checked("RS256", None, &ec, RSA_SIGNED, RSA_SIGNATURE), Err(Wrong::UnknownKey));
        let wrong = Err(Wrong::Because("its signature is wrong"));
        assert_eq!(checked("RS256", None, &rsa, EC_SIGNED, RSA_SIGNATURE), wrong);
        assert_eq!(checked("ES256", None, &ec, EC_SIGNED, RSA_SIGNATURE), wrong);
        assert_eq!(checked("ES256", None, &ec, EC_SIGNED, ""), wrong);
        for alg in ["none", "HS256", "RS512", "es256", ""] {
            assert!(
                matches!(checked(alg, None, &rsa, RSA_SIGNED, RSA_SIGNATURE), Err(Wrong::Because(_))),
                "{alg}"
            );
        }
    }

    #[test]
    fn every_claim_counts() {
        let expected = Expected { issuer: "https://id", client: "us", nonce: "n", now: Tick(1_000_000_000) };
        let good = json!({"iss": "https://id", "aud": "us", "nonce": "n", "sub": "s", "iat": 999_990, "exp": 1_000_100});
        let check = |name: &str, value: Value| {
            let mut claims = good.as_object().cloned().expect("an object");
            match value {
                Value::Null => drop(claims.remove(name)),
                value => drop(claims.insert(name.into(), value)),
            }
            check_claims(&claims, &expected)
        };
        assert_eq!(check("x", json!(1)), Ok(()));
        assert_eq!(check("aud", json!(["us"])), Ok(()));
        assert_eq!(check("azp", json!("us")), Ok(()));
        assert_eq!(check("exp", json!(999_950)), Ok(()), "clocks differ a little");
        for (name, value) in [
            ("iss", json!("https://id/")),
            ("iss", Value::Null),
            ("aud", json!("others")),
            ("aud", json!(["others"])),
            ("aud", json!(["us", "others"])),
            ("aud", Value::Null),
            ("azp", json!("others")),
            ("nonce", json!("m")),
            ("nonce", Value::Null),
            ("exp", json!(999_900)),
            ("exp", json!("1000100")),
            ("exp", Value::Null),
            ("iat", json!(1_000_100)),
            ("iat", Value::Null),
            ("nbf", json!(1_000_100)),
            ("nbf", json!("1")),
            ("sub", json!("")),
            ("sub", json!("x".repeat(300))),
            ("sub", Value::Null),
        ] {
            assert!(check(name, value.clone()).is_err(), "{name}: {value}");
        }
    }

    #[test]
    fn what_is_no_token_is_none() {
        let expected = Expected { issuer: "", client: "", nonce: "", now: Tick(0) };
        for text in ["", ".", "..", "a.b.c", "a.b.c.d", "eyJhbGciOiJub25lIn0.e30."] {
            assert!(verify(text, &[], &expected).is_err(), "{text}");
        }
    }
}
