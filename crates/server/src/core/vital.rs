//! Threads that nothing works without. When one of them panics the server is up and useless: it has to end, so that
//! whoever watches over it starts it again, from the log.

use tokio::sync::watch;

/// Which of them has ended by a panic, if any.
#[derive(Clone, Debug)]
pub struct Vitals(watch::Sender<Option<&'static str>>);

impl Default for Vitals {
    fn default() -> Vitals {
        Vitals(watch::Sender::new(None))
    }
}

impl Vitals {
    /// To be kept by a thread for as long as it lives.
    pub fn guard(&self, thread: &'static str) -> Vital {
        Vital { broken: self.0.clone(), thread }
    }

    /// Returns when one of them has panicked.
    pub async fn broken(&self) -> &'static str {
        let mut told = self.0.subscribe();
        let broken = told.wait_for(Option::is_some).await;
        broken.ok().and_then(|thread| *thread).expect("it is here, and waits until there is one")
    }
}

#[derive(Debug)]
pub struct Vital {
    broken: watch::Sender<Option<&'static str>>,
    thread: &'static str,
}

impl Drop for Vital {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.broken.send_replace(Some(self.thread));
        }
    }
}
