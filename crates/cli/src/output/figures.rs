//! Amounts in words.

use tidegate_api::amounts::{Amounts, Guarantee};
use tidegate_api::by_model::ByModel;
use tidegate_api::memory::Memory;

/// `1 node`, `2 nodes`. The plural is made with an s.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `1 GPU`, `0.5 GPUs`, `A100:16,H100:48 GPUs`.
pub(crate) fn in_gpus(figure: &str) -> String {
    format!("{figure} {}", if figure == "1" { "GPU" } else { "GPUs" })
}

/// `48`, or `A100:16,H100:48`.
fn by_model<T: std::fmt::Display>(gpu: &ByModel<T>) -> String {
    match gpu {
        ByModel::One(figure) => figure.to_string(),
        ByModel::Each(figures) => {
            let each: Vec<String> =
                figures.iter().map(|(model, figure)| format!("{model}:{figure}")).collect();
            each.join(",")
        }
    }
}

/// `1.5Ti`, with at most one decimal: for people, not for sums.
pub(crate) fn bytes(bytes: i64) -> String {
    let (sign, size) = (if bytes < 0 { "-" } else { "" }, bytes.unsigned_abs());
    for (unit, shift) in [("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)] {
        if size >> shift > 0 {
            let tenths = (u128::from(size) * 10) >> shift;
            let decimal = if tenths % 10 == 0 { String::new() } else { format!(".{}", tenths % 10) };
            return format!("{sign}{}{decimal}{unit}", tenths / 10);
        }
    }
    format!("{sign}{size}")
}

/// GPUs, and cores and memory if they are on the books.
pub(crate) fn amounts(amounts: &Amounts) -> String {
    let mut text = by_model(&amounts.gpu);
    amounts.cpu.iter().for_each(|cpu| text.push_str(&format!(" cpu={cpu}")));
    amounts.memory.iter().for_each(|size| text.push_str(&format!(" memory={}", bytes(*size))));
    text
}

/// GPUs by model, if there are several.
pub(crate) fn gpus(amounts: &Amounts) -> String {
    by_model(&amounts.gpu)
}

pub(crate) fn guarantee(guarantee: &Guarantee) -> String {
    let mut text = by_model(&guarantee.gpu);
    guarantee.cpu.iter().for_each(|cpu| text.push_str(&format!(" cpu={cpu}")));
    guarantee.memory.iter().for_each(|size: &Memory| text.push_str(&format!(" memory={size}")));
    text
}

/// Whether there is anything.
pub(crate) fn is_nothing(amounts: &Amounts) -> bool {
    let gpus = match &amounts.gpu {
        ByModel::One(figure) => figure.0 == 0,
        ByModel::Each(figures) => figures.values().all(|figure| figure.0 == 0),
    };
    gpus && amounts.cpu.is_none_or(|cpu| cpu.0 == 0) && amounts.memory.is_none_or(|size| size == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|n| count(n, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }

    #[test]
    fn sizes_are_short() {
        for (size, text) in [(0, "0"), (1 << 30, "1Gi"), (3 << 29, "1.5Gi"), (-2048, "-2Ki"), (1023, "1023")]
        {
            assert_eq!(bytes(size), text);
        }
    }
}
