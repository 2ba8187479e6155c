"""Distributed training with JAX: several processes, one program, saved and resumed.

Each replica is a process of `jax.distributed`. The data is split over all devices of all processes; XLA adds the
gradients up. Whether somebody was asked to stop is added up with them, so that all stop at the same step.
"""

import hashlib
import os
import signal
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

RANK = int(os.environ.get("RANK", "0"))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", "1"))
CHECKPOINT = os.path.join(os.environ.get("TIDEGATE_CHECKPOINT_DIR", "."), "weights.npz")
SAVED = os.environ.get("TIDEGATE_CHECKPOINT_SAVED")
STEPS = int(os.environ.get("STEPS", "200"))
SAVE_EVERY = int(os.environ.get("SAVE_EVERY", "10"))
# As if there were more to compute.
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.05"))
SAMPLES, FEATURES, HIDDEN, RATE = 512, 8, 16, 0.1

asked_to_stop = False


def on_sigterm(_signal, _frame):
    """The notice of preemption: what is being done is finished and saved first."""
    global asked_to_stop
    asked_to_stop = True


def say(text):
    print(text, flush=True)


def samples():
    """All samples, the same in every process and each time."""
    generator = np.random.default_rng(7)
    x = generator.uniform(-1, 1, (SAMPLES, FEATURES)).astype(np.float32)
    y = np.sin(x @ generator.uniform(-1, 1, FEATURES)).astype(np.float32)
    return x, y


def fresh():
    generator = np.random.default_rng(11)
    return {
        "first": generator.normal(0, 0.5, (FEATURES, HIDDEN)).astype(np.float32),
        "second": generator.normal(0, 0.5, HIDDEN).astype(np.float32),
    }


def loss(weights, x, y):
    return jnp.mean((jnp.tanh(x @ weights["first"]) @ weights["second"] - y) ** 2)


@jax.jit
def advance(weights, x, y, asked):
    value, gradient = jax.value_and_grad(loss)(weights, x, y)
    weights = jax.tree.map(lambda w, g: w - RATE * g, weights, gradient)
    return weights, value, jnp.sum(asked)


def save(step, weights):
    """Whole or not at all: who is killed while it saves has the save before."""
    with open(CHECKPOINT + ".new", "wb") as file:
        np.savez(file, step=step, **weights)
        file.flush()
        os.fsync(file.fileno())
    os.replace(CHECKPOINT + ".new", CHECKPOINT)
    if SAVED:
        # Tidegate looks at the time of this file: up to then, nothing is lost.
        with open(SAVED, "w"):
            os.utime(SAVED)
    say(f"saved step {step}")


def load():
    if not os.path.exists(CHECKPOINT):
        return 0, fresh()
    with np.load(CHECKPOINT) as kept:
        return int(kept["step"]), {name: kept[name] for name in ("first", "second")}


def main():
    signal.signal(signal.SIGTERM, on_sigterm)
    if WORLD_SIZE > 1:
        # JAX would catch SIGTERM itself.
        jax.config.update("jax_enable_preemption_service", False)
        if jax.config.jax_platforms == "cpu" or os.environ.get("JAX_PLATFORMS") == "cpu":
            jax.config.update("jax_cpu_collectives_implementation", "gloo")
        master = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        jax.distributed.initialize(master, num_processes=WORLD_SIZE, process_id=RANK)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    split, same = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())

    def spread(whole):
        return jax.make_array_from_callback(whole.shape, split, lambda index: whole[index])

    x, y = map(spread, samples())
    step, kept = load()
    weights = jax.tree.map(lambda w: jax.make_array_from_callback(w.shape, same, lambda index: w[index]), kept)
    if RANK == 0:
        say(f"begins at step {step} of {STEPS} with {WORLD_SIZE} replicas")
    local = len(jax.local_devices())
    while step < STEPS:
        asked = jax.make_array_from_process_local_data(split, np.full(local, float(asked_to_stop), np.float32))
        weights, value, stop = advance(weights, x, y, asked)
        is_asked = float(stop) > 0
        step += 1
        time.sleep(STEP_SECONDS)
        if step % SAVE_EVERY == 0 or step == STEPS or is_asked:
            here = jax.tree.map(lambda w: np.asarray(w.addressable_data(0)), weights)
            if RANK == 0:
                save(step, here)
        if is_asked and step < STEPS:
            if RANK == 0:
                say(f"asked to stop: step {step} is saved")
            # Without the handshake at the end of JAX: the others are leaving, too.
            os._exit(128 + signal.SIGTERM)
    if RANK == 0:
        packed = b"".join(np.ascontiguousarray(here[name]).tobytes() for name in sorted(here))
        say(f"loss {float(value):.6f}")
        say(f"result {hashlib.sha256(packed).hexdigest()}")
    if WORLD_SIZE > 1:
        jax.distributed.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
