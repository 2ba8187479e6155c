//! Timings of one shape.

/// Nanoseconds, one for each sample. Samples during which the system gave the core to somebody else are
/// not a number, and are left out.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn push(&mut self, ns: f64) {
        if !ns.is_nan() {
            self.0.push(ns);
        }
    }

    pub fn quantile(&self, q: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            n => sorted[((n as f64 * q).ceil() as usize).clamp(1, n) - 1],
        }
    }

    pub fn extend(&mut self, others: Samples) {
        self.0.extend(others.0);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    pub fn p50(&self) -> f64 {
        self.quantile(0.5)
    }

    pub fn p99(&self) -> f64 {
        self.quantile(0.99)
    }
}

/// Nanoseconds, for people.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if ns.is_nan() => "interrupted".into(),
        ns if ns < 9_995.0 => format!("{:.2} us", ns / 1e3),
        ns if ns < 999_500.0 => format!("{:.0} us", ns / 1e3),
        ns if ns < 999.5e6 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// A number with a comma between thousands.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
