//! Numbers and values as JSON Schema compares them: `1` and `1.0` are the same.

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Exact between whole numbers; the order of doubles where one has a fraction.
pub(super) fn order(a: &Number, b: &Number) -> Ordering {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        }
    }
}

/// The number as a whole one, if it is one. Doubles beyond what 128 bits hold are not.
pub(super) fn whole(number: &Number) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(i128::from(number));
    }
    if let Some(number) = number.as_u64() {
        return Some(i128::from(number));
    }
    let number = number.as_f64()?;
    (number.fract() == 0.0 && number.abs() < 1e38).then_some(number as i128)
}

pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => order(a, b) == Ordering::Equal,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}
