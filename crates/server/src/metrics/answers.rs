//! Requests by their route. Counted for every request, so what is counted is looked up without writing anything down.

use super::counted::WORK;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::collections::BTreeMap;
use std::sync::RwLock;
use std::time::Duration;

/// The route of what is at no route.
const NOWHERE: &str = "none";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfRoute {
    route: String,
}

/// What is counted at one route.
#[derive(Debug)]
struct Route {
    duration: Histogram,
    /// A handful of each.
    counts: Vec<(&'static str, u16, Counter)>,
}

#[derive(Debug)]
pub(super) struct Answers {
    requests: Family<Answered, Counter>,
    durations: Family<OfRoute, Histogram, fn() -> Histogram>,
    /// By the router's pattern.
    routes: RwLock<BTreeMap<Box<str>, Route>>,
}

impl Answers {
    pub(super) fn new(registry: &mut Registry) -> Answers {
        let requests = Family::<Answered, Counter>::default();
        let durations =
            Family::<OfRoute, Histogram, fn() -> Histogram>::new_with_constructor(|| Histogram::new(WORK));
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time to the head of the answer",
            Unit::Seconds,
            durations.clone(),
        );
        Answers { requests, durations, routes: RwLock::default() }
    }

    pub(super) fn count(&self, route: Option<&str>, method: &'static str, status: u16, took: Duration) {
        let route = route.unwrap_or(NOWHERE);
        if !self.count_known(route, method, status, took) {
            self.learn(route, method, status);
            self.count_known(route, method, status, took);
        }
    }

    /// False if it is the first of its kind.
    fn count_known(&self, route: &str, method: &'static str, status: u16, took: Duration) -> bool {
        let routes = self.routes.read().expect("nobody panics here");
        let Some(route) = routes.get(route) else { return false };
        let same = |(m, s, _): &&(&'static str, u16, Counter)| (*m, *s) == (method, status);
        let Some((_, _, counter)) = route.counts.iter().find(same) else { return false };
        counter.inc();
        route.duration.observe(took.as_secs_f64());
        true
    }

    fn learn(&self, route: &str, method: &'static str, status: u16) {
        let told = pattern(route);
        let mut routes = self.routes.write().expect("nobody panics here");
        let entry = routes.entry(route.into()).or_insert_with(|| Route {
            duration: self.durations.get_or_create_owned(&OfRoute { route: told.clone() }),
            counts: Vec::new(),
        });
        // Two may learn the same at once: they count in the same counter.
        let counter = self.requests.get_or_create_owned(&Answered { route: told, method, status });
        entry.counts.push((method, status, counter));
    }
}

/// The route as the OpenAPI document writes it.
fn pattern(route: &str) -> String {
    match route.rsplit_once("/-") {
        Some((before, verb)) => format!("{before}:{verb}"),
        None => route.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_told_as_they_are_documented() {
        assert_eq!(pattern("/api/v1/quotas/{name}/-scale"), "/api/v1/quotas/{name}:scale");
        assert_eq!(pattern("/api/v1/quotas/{name}"), "/api/v1/quotas/{name}");
    }

    #[test]
    fn each_kind_of_answer_has_its_own_count() {
        let mut registry = Registry::default();
        let answers = Answers::new(&mut registry);
        let count = |route, status| answers.count(route, "GET", status, Duration::ZERO);
        (0..3).for_each(|_| count(Some("/a/-b"), 200));
        count(Some("/a/-b"), 404);
        count(None, 404);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("text");
        for line in [
            r#"http_requests_total{route="/a:b",method="GET",status="200"} 3"#,
            r#"http_requests_total{route="/a:b",method="GET",status="404"} 1"#,
            r#"http_requests_total{route="none",method="GET",status="404"} 1"#,
            r#"http_request_duration_seconds_count{route="/a:b"} 4"#,
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }
}
