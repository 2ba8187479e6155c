//! The thread that stands between the control loop and an executor.

use crate::core::control::{Control, Unavailable};
use crate::core::deck::Deck;
use crate::core::entry::{Fact, Origin};
use crate::core::outbox::{Notice, assignments};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_executor::inbox::{ExitStatus, Inbox};
use tidegate_executor::{Executor, Report};

/// The longest sleep without a look at the executor.
const LONGEST_SLEEP: Duration = Duration::from_secs(10);
/// How long to wait before reports that the store did not take are asked for again.
const RETRY: Duration = Duration::from_secs(1);

/// Tells the executor what should run and the engine what has happened, until the control loop is gone.
pub fn start(
    mut executor: Box<dyn Executor>,
    control: Control,
    sender: Sender<Vec<Notice>>,
    notices: Receiver<Vec<Notice>>,
) -> std::io::Result<JoinHandle<()>> {
    let waker = sender.clone();
    executor.set_waker(Arc::new(move || {
        let _ = waker.send(vec![Notice::Look]);
    }));
    let thread = std::thread::Builder::new().name("executor".into());
    let vital = control.vitals().guard("executor");
    thread.spawn(move || {
        let _vital = vital;
        executor.reconcile(control.read_blocking(assignments));
        let mut between = Between { executor, control, sender, inbox: Arc::default() };
        between.run(&notices);
    })
}

struct Between {
    executor: Box<dyn Executor>,
    control: Control,
    /// Where it is told that reports were lost.
    sender: Sender<Vec<Notice>>,
    /// Lent to the writer while it acts upon reports.
    inbox: Arc<Mutex<Inbox>>,
}

impl Between {
    fn run(&mut self, notices: &Receiver<Vec<Notice>>) {
        loop {
            let now = self.control.clock().now();
            let reports = self.executor.poll(now);
            if !reports.is_empty() {
                let passed = self.pass_on(reports).or_else(|why| self.recover(why));
                if passed.is_err() {
                    return;
                }
            }
            let due = self.executor.next_due().map_or(LONGEST_SLEEP, |due| {
                Duration::from_millis(due.since(self.control.clock().now()).0).min(LONGEST_SLEEP)
            });
            match notices.recv_timeout(due) {
                Ok(first) => {
                    let more = std::iter::from_fn(|| notices.try_recv().ok());
                    let mut lost = None;
                    for notice in std::iter::once(first).chain(more).flatten() {
                        match notice {
                            Notice::Close => return,
                            Notice::Lost(why) => lost = Some(why),
                            notice => self.take(notice),
                        }
                    }
                    if lost.is_some_and(|why| self.recover(why).is_err()) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Assign(assignment) => self.executor.assign(assignment),
            Notice::Forget(workload) => {
                self.inbox.lock().expect("nobody panics while reading reports").forget(workload);
                self.executor.forget(workload);
            }
            Notice::Reconcile(all) => self.executor.reconcile(all),
            Notice::Look | Notice::Lost(_) | Notice::Close => {}
        }
    }

    /// Reports were lost: has the executor told what should run once the store takes writes again. It then reports
    /// what has ended of that. An error if the server goes down.
    #[allow(clippy::disallowed_methods, reason = "nobody tells when the store takes writes again")]
    fn recover(&self, mut why: Unavailable) -> Result<(), Unavailable> {
        while why != Unavailable::Closing {
            std::thread::sleep(RETRY);
            // What is reported again is heard again.
            *self.inbox.lock().expect("nobody panics while reading reports") = Inbox::new();
            match self.control.write_blocking(Origin::new("executor", "restate"), |deck| deck.restate()) {
                Ok(()) => return Ok(()),
                Err(again) => why = again,
            }
        }
        Err(why)
    }

    /// Turns reports into commands, on the writer. What should run is seen to while those are written.
    fn pass_on(&self, reports: Vec<Report>) -> Result<(), Unavailable> {
        let (inbox, sender) = (self.inbox.clone(), self.sender.clone());
        let work = move |deck: &mut Deck<'_>| {
            let mut inbox = inbox.lock().expect("nobody panics while reading reports");
            inbox.hear(reports);
            while let Some(finding) = inbox.next(&deck.world().engine, &deck.world().dispatch) {
                if let Err(refusal) = deck.command(finding.command) {
                    tracing::error!(what = refusal.what(), "a report was refused");
                    continue;
                }
                if let Some(exit) = finding.exit {
                    let ExitStatus { workload, unit, code, detail, warm, .. } = exit;
                    deck.note(Fact::Exited { workload, unit, code, detail, warm });
                }
            }
        };
        self.control.write_later(Origin::new("executor", "report"), work, move |written| {
            if let Err(why) = written {
                let _ = sender.send(vec![Notice::Lost(why)]);
            }
        })
    }
}
