//! The server's own log of requests.

mod house;

use house::House;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps every line of the server.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<(Level, String)>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

impl Subscriber for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tidegate_server")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().expect("nobody panics here").push((*event.metadata().level(), line.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn every_request_is_one_line_with_the_id_of_its_answer() {
    let kept = Kept::default();
    tracing::subscriber::set_global_default(kept.clone()).expect("the only one in this process");
    let house = House::new("1x1");
    let ask = |path: &str| {
        let request = ureq::http::Request::builder().uri(house.url(path));
        let request = request.header("authorization", format!("Bearer {}", house.token()));
        house.exchange(request, None).expect("an answer")
    };
    let answers = [ask("/api/v1/quotas/nobody?x=1"), ask("/healthz"), ask("/nothing")];
    let lines = kept.0.lock().expect("nobody panics here");
    for (answer, says) in answers.iter().zip([
        "path=\"/api/v1/quotas/nobody\" status=404",
        "path=\"/healthz\" status=200",
        "path=\"/nothing\" status=404",
    ]) {
        let id = answer.request_id.as_deref().expect("an id");
        let of: Vec<_> = lines.iter().filter(|(_, line)| line.contains(id)).collect();
        assert_eq!(of.len(), 1, "{lines:?}");
        let (_, line) = of[0];
        assert!(line.contains(says) && line.contains("method=\"GET\"") && line.contains("ms="), "{line}");
    }
    let token = house.token();
    assert!(lines.iter().all(|(_, line)| !line.contains(token)), "no token is written down");
    assert!(
        lines.iter().any(|(level, line)| *level == Level::DEBUG && line.contains("healthz")),
        "{lines:?}"
    );
}
