//! How many cases are tried, and from which seed: the same every time, unless asked otherwise.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Multiplies the number of cases of every property.
pub const CASES: &str = "TIDEGATE_PROPS_TIMES";
/// Another number gives other cases.
pub const SEED: &str = "TIDEGATE_PROPS_SEED";

/// Smaller cases to try after a failure.
pub const SHRINK: &str = "TIDEGATE_PROPS_SHRINK";
/// Cases of plans to print.
pub const SHOW: &str = "TIDEGATE_PROPS_SHOW";

/// Smaller cases that are tried after a failure, once its list of steps is short.
const MAX_SHRINK: u64 = 300;

pub fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

pub fn cases(usual: u32) -> u32 {
    usual.saturating_mul(u32::try_from(number(CASES, 1)).unwrap_or(u32::MAX))
}

/// Tries the property in `usual` cases, or more if asked; fails with what the smallest failing case says.
pub fn hold<S: Strategy>(usual: u32, strategy: &S, property: impl Fn(S::Value) -> Result<(), String>) {
    let config = Config {
        cases: cases(usual),
        max_shrink_iters: number(SHRINK, MAX_SHRINK) as u32,
        failure_persistence: None,
        ..Config::default()
    };
    let mut seed = [7; 32];
    seed[..8].copy_from_slice(&number(SEED, 0).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(strategy, |case| property(case).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, _)) => panic!("\n{why}\n"),
        Err(TestError::Abort(why)) => panic!("gave up: {why}"),
    }
}

/// Leaves out of a list of steps that fails whatever it fails without: large pieces first, then single steps.
/// Returns what the shortest one says.
pub fn shortened<T: Clone>(steps: &[T], property: impl Fn(&[T]) -> Result<(), String>) -> Result<(), String> {
    let Err(mut why) = property(steps) else { return Ok(()) };
    let mut steps = steps.to_vec();
    let mut piece = steps.len().div_ceil(2);
    loop {
        let (mut at, mut shorter) = (0, false);
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + piece).min(steps.len()));
            match property(&fewer) {
                Err(less) => (steps, why, shorter) = (fewer, less, true),
                Ok(()) => at += piece,
            }
        }
        if piece == 1 && !shorter {
            return Err(why);
        }
        piece = piece.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_steps_that_matter_are_left() {
        let steps: Vec<u32> = (0..50).collect();
        let both = |steps: &[u32]| match steps.contains(&7) && steps.contains(&31) {
            true => Err(format!("{steps:?}")),
            false => Ok(()),
        };
        assert_eq!(shortened(&steps, both), Err("[7, 31]".into()));
        assert_eq!(shortened(&steps[..20], both), Ok(()));
    }
}
