//! `tidegate demo`: a server with 128 virtual GPUs in this process, the worked example on it, and then it is yours.

use super::scenes::Stage;
use super::start::{Open, closing, runtime};
use crate::client::Client;
use crate::client::find::{Found, TOKEN_FILE};
use crate::exit::{Exit, Failure, Outcome, print};
use clap::Args;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::token;
use tokio::sync::watch;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate demo
  tidegate demo --fast                   under five seconds, then it ends
  tidegate demo --data ./demo            keeps what it did; started again, it goes on from there";

/// 16 nodes of 8: the worked example's pool.
const GPUS: &str = "16x8";
/// Time to read what happened before the next thing does.
const PAUSE: Duration = Duration::from_millis(2_500);

#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// No pauses, and the server ends with the last scene
    #[arg(long)]
    fast: bool,
    /// Where to keep everything; a temporary directory if absent
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen on; a free port of this machine if absent
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", hide_default_value = true)]
    listen: SocketAddr,
}

impl Demo {
    pub(crate) fn run(self) -> Outcome {
        let failed = |error: std::io::Error| {
            Failure::new(Exit::Failure, format!("cannot make a temporary directory: {error}"))
                .hint("name a directory with --data")
        };
        let temporary = tempfile::tempdir().map_err(failed)?;
        let data = self.data.clone().unwrap_or_else(|| temporary.path().to_path_buf());
        let config = Config {
            listen: self.listen,
            executor: ExecutorKind::Virtual,
            virtual_gpus: Some(GPUS.into()),
            ..Config::default()
        };
        let runtime = runtime()?;
        let (open, asked) = runtime.block_on(async {
            let asked = closing()?;
            Ok::<_, Failure>((Open::new(&config, &data).await?, asked))
        })?;
        let (url, is_new) = (open.url.clone(), open.is_new);
        let (close, closing) = watch::channel(false);
        let serving = runtime.spawn(open.run(closing));
        let played = self.play(&url, &data, is_new);
        if played.is_ok() && !self.fast {
            runtime.block_on(ended(asked));
        }
        let _ = close.send(true);
        let served = runtime.block_on(serving);
        runtime.shutdown_background();
        played.and(served.unwrap_or(Ok(())))
    }

    fn play(&self, url: &str, data: &Path, is_new: bool) -> Outcome {
        let token = token::read(&data.join(TOKEN_FILE))
            .map_err(|error| Failure::new(Exit::Failure, format!("the token cannot be read: {error}")))?;
        let client = Client::new(Found { server: url.into(), token, ca_file: None, by: "the demo" })?;
        if is_new {
            let pause = if self.fast { Duration::ZERO } else { PAUSE };
            Stage::new(&client, pause)?.play()?;
        }
        print(&self.farewell(url, data))
    }

    fn farewell(&self, url: &str, data: &Path) -> String {
        if self.fast {
            return "That was the worked example. Without --fast the server stays up.\n".into();
        }
        let token = data.join(TOKEN_FILE);
        format!(
            "The server stays up at {url} until you press Ctrl-C. In another terminal:

  export TIDEGATE_SERVER={url} TIDEGATE_TOKEN=$(cat {})
  tidegate top                 everything, live
  tidegate quota tree          who has what
  tidegate list                who waits, and why
  tidegate explain c-tune
  tidegate submit --quota Quota1 --module service --replicas 4 --gpus 8 --priority 5 --dry-run
",
            token.display()
        )
    }
}

/// Until somebody asks for the end.
async fn ended(mut asked: watch::Receiver<bool>) {
    // An error means that nobody can ask any more.
    let _ = asked.wait_for(|asked| *asked).await;
}
