//! The thread that looks at the world every ten seconds.

use super::measure::measure;
use super::taken::Taking;
use super::{INTERVAL, Samples};
use crate::core::control::Control;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::ids::Tick;
use tidegate_executor::local::Replicas;

/// Looks until it is dropped.
#[derive(Debug)]
pub struct Sampler {
    pub samples: Arc<Samples>,
    /// Nothing is sent: that it is gone is the message.
    _stop: Sender<()>,
}

/// Opens what is kept in a data directory, and begins to look.
pub fn start(
    control: Control,
    data: &Path,
    replicas: Option<Replicas>,
) -> std::io::Result<(Sampler, JoinHandle<()>)> {
    let samples = Arc::new(Samples::open(data));
    let (stop, stopped) = channel();
    // The first look is there before the first request.
    let mut taking = Taking::new(replicas);
    look(&control, &mut taking, &samples);
    let sampler = Sampler { samples: samples.clone(), _stop: stop };
    let thread = std::thread::Builder::new().name("sampler".into());
    let thread = thread.spawn(move || run(&control, taking, &samples, &stopped))?;
    Ok((sampler, thread))
}

/// Says when.
fn look(control: &Control, taking: &mut Taking, samples: &Samples) -> Tick {
    let taken = taking.look();
    let now = control.clock().now();
    // Nobody waits for the file while the world is looked at.
    let figures = control.read_blocking(|world| measure(world, &taken));
    samples.take(figures, now);
    now
}

fn run(control: &Control, mut taking: Taking, samples: &Samples, stopped: &Receiver<()>) {
    let mut last = control.clock().now();
    loop {
        // Slots are whole multiples of the interval, whenever the server was started.
        let rest = INTERVAL.0 - last.0 % INTERVAL.0;
        if stopped.recv_timeout(Duration::from_millis(rest)) != Err(RecvTimeoutError::Timeout) {
            samples.flush(control.clock().now());
            return;
        }
        last = look(control, &mut taking, samples);
    }
}
