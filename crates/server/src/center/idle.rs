//! Whether a notebook does anything, by what was measured of it.

use crate::samples::{INTERVAL, Lately};
use tidegate_api::duration::Duration;
use tidegate_engine::resources::WHOLE;
use tidegate_identity::policy::Idleness;

/// What a notebook has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// Thousandths of a core that it asked for.
    pub cpu: u64,
    pub gpus: bool,
}

/// Why a notebook counts as idle; `None` if it does not. Where nothing was measured nobody is idle.
pub fn idle(lately: &Lately, policy: &Idleness, has: Has) -> Option<String> {
    // A look or two may be missing, as when the server was started again.
    let wanted = (policy.after.0 / INTERVAL.0).saturating_mul(9) / 10;
    if (lately.looks as u64) < wanted.max(1) {
        return None;
    }
    let cores = has.cpu as f64 / f64::from(WHOLE);
    let below = |used: f64, all: f64, percent: u8| used < all * f64::from(percent) / 100.0;
    if !below(lately.cpu?, cores, policy.cpu_percent) {
        return None;
    }
    let (after, cpu) = (Duration::of(policy.after), policy.cpu_percent);
    let cores = format!("it used less than {cpu}% of its cores");
    match lately.gpu_duty.filter(|_| has.gpus) {
        Some(duty) if !below(duty, 1.0, policy.gpu_percent) => None,
        Some(_) => {
            Some(format!("{cores} and of its GPUs' time less than {}% for {after}", policy.gpu_percent))
        }
        None if has.gpus => {
            Some(format!("{cores} for {after}; what its GPUs did is not known, and was not counted"))
        }
        None => Some(format!("{cores} for {after}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::ids::Span;

    const POLICY: Idleness = Idleness { after: Span::minutes(10), cpu_percent: 5, gpu_percent: 10 };
    const ONE: Has = Has { cpu: 2_000, gpus: true };

    fn lately(looks: usize, cpu: f64, gpu_duty: Option<f64>) -> Lately {
        Lately { looks, cpu: Some(cpu), gpu_duty }
    }

    #[test]
    fn both_have_to_be_below() {
        let why = idle(&lately(60, 0.09, Some(0.05)), &POLICY, ONE);
        assert_eq!(
            why.as_deref(),
            Some("it used less than 5% of its cores and of its GPUs' time less than 10% for 10m")
        );
        assert_eq!(idle(&lately(60, 0.10, Some(0.05)), &POLICY, ONE), None);
        assert_eq!(idle(&lately(60, 0.09, Some(0.10)), &POLICY, ONE), None);
    }

    #[test]
    fn where_the_gpus_are_unknown_the_cores_count_alone_and_it_says_so() {
        let why = idle(&lately(60, 0.0, None), &POLICY, ONE).expect("idle");
        assert!(why.ends_with("what its GPUs did is not known, and was not counted"), "{why}");
        let without = Has { gpus: false, ..ONE };
        let why = idle(&lately(60, 0.0, None), &POLICY, without).expect("idle");
        assert_eq!(why, "it used less than 5% of its cores for 10m");
    }

    #[test]
    fn who_was_not_looked_at_for_so_long_is_not_idle() {
        assert_eq!(idle(&Lately::default(), &POLICY, ONE), None);
        assert_eq!(idle(&lately(53, 0.0, Some(0.0)), &POLICY, ONE), None);
        assert!(idle(&lately(54, 0.0, Some(0.0)), &POLICY, ONE).is_some());
    }
}
