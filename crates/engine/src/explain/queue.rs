//! Whether the queue's strategy lets a workload be tried, and when it will be.

use super::{Answers, Question};
use crate::ids::Span;
use crate::reason::{Reason, Unblock};
use crate::state::State;
use crate::words::Strategy;

impl State {
    /// Says why the strategy does not let it be tried; true if it does.
    pub(super) fn queue_reasons(&self, question: &Question, out: &mut Answers) -> bool {
        let w = self.w(question.id);
        let quota = w.spec.quota;
        let policy = &self.tree[quota].policy.queue;
        let queue = &self.queues[quota.index()];
        let (Some(tried), Some(key)) = (queue.window(policy, question.now), w.lane) else { return true };
        let (ahead, first) = queue.ahead_of(policy, question.now, key, w.entry());
        // Growth has no place of its own: it may follow whoever is tried last.
        let reach = if question.growth && tried > 1 { ahead } else { ahead + 1 };
        let Some(blocker) = first.filter(|_| reach > tried) else { return true };
        let (strategy, position) = (policy.strategy, ahead + 1);
        out.reasons.push(match question.deep {
            true => Reason::Strategy { quota, strategy, tried },
            false => {
                // The place that people are shown counts those as well that nobody waits for.
                let position = queue.before(policy, question.now, key, w.entry()) + 1;
                Reason::Behind { quota, strategy, position, blocker }
            }
        });
        let in_the_way = match strategy {
            Strategy::Intelligent => ahead.min(queue.strict()),
            _ => ahead,
        };
        let waited = self.w(blocker).passed_over;
        out.unblock.push(match waited {
            Some(since) if strategy == Strategy::Balance => {
                let position = if question.growth { ahead.max(2) } else { position };
                let patience = policy.patience.0.max(1).saturating_mul(u64::from(position - 1));
                Unblock::Window { at: since.after(Span(patience)), position }
            }
            _ => Unblock::Ahead { first: blocker, more: in_the_way.saturating_sub(1) },
        });
        false
    }
}
