"""Distributed training with nothing but Python's standard library.

Every replica computes the gradient of its part of the data; the first one adds them up in the order of ranks, so
that the result is the same to the last bit each time, and tells everybody the new weights. Work is saved every few
steps and when SIGTERM comes, and goes on from there after a restart.
"""

import hashlib
import json
import os
import random
import signal
import socket
import struct
import sys
import time

RANK = int(os.environ.get("RANK", "0"))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", "1"))
MASTER = (os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "29500")))
CHECKPOINT = os.path.join(os.environ.get("TIDEGATE_CHECKPOINT_DIR", "."), "weights.json")
SAVED = os.environ.get("TIDEGATE_CHECKPOINT_SAVED")

STEPS = int(os.environ.get("STEPS", "300"))
SAVE_EVERY = int(os.environ.get("SAVE_EVERY", "10"))
# As if there were more to compute.
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.05"))
SAMPLES, FEATURES, RATE = 512, 8, 0.05
# How long the others are waited for at the start.
PATIENCE = 120

GO_ON, STOP = 0, 1
asked_to_stop = False


def on_sigterm(_signal, _frame):
    """The notice of preemption: what is being done is finished and saved first."""
    global asked_to_stop
    asked_to_stop = True


def say(text):
    print(text, flush=True)


def receive(peer, count):
    data = b""
    while len(data) < count:
        part = peer.recv(count - len(data))
        if not part:
            raise ConnectionError("a replica is gone")
        data += part
    return data


MESSAGE = struct.Struct(f"!B{FEATURES}d")


def send(peer, word, numbers):
    peer.sendall(MESSAGE.pack(word, *numbers))


def hear(peer):
    word, *numbers = MESSAGE.unpack(receive(peer, MESSAGE.size))
    return word, numbers


def meet():
    """The first replica listens, the others come to it. Its connections, by rank."""
    if RANK > 0:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                peer = socket.create_connection(MASTER, timeout=PATIENCE)
                peer.sendall(struct.pack("!I", RANK))
                return [peer]
            except OSError:
                if asked_to_stop or time.monotonic() > until:
                    raise
                time.sleep(0.05)
    listener = socket.create_server(MASTER)
    listener.settimeout(PATIENCE)
    peers = {}
    while len(peers) < WORLD_SIZE - 1:
        peer, _ = listener.accept()
        peer.settimeout(PATIENCE)
        peers[struct.unpack("!I", receive(peer, 4))[0]] = peer
    return [peers[rank] for rank in sorted(peers)]


def data():
    """This replica's part of the samples; the same each time."""
    generator = random.Random(7)
    truth = [generator.uniform(-1, 1) for _ in range(FEATURES)]
    for number in range(SAMPLES):
        x = [generator.uniform(-1, 1) for _ in range(FEATURES)]
        y = sum(a * b for a, b in zip(truth, x)) + generator.gauss(0, 0.01)
        if number % WORLD_SIZE == RANK:
            yield x, y


def gradient(samples, weights):
    total = [0.0] * FEATURES
    for x, y in samples:
        error = sum(w * a for w, a in zip(weights, x)) - y
        for i, a in enumerate(x):
            total[i] += 2 * error * a / SAMPLES
    return total


def save(step, weights):
    """Whole or not at all: who is killed while it saves has the save before."""
    new = CHECKPOINT + ".new"
    with open(new, "w") as file:
        json.dump({"step": step, "weights": weights}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, CHECKPOINT)
    if SAVED:
        # Tidegate looks at the time of this file: up to then, nothing is lost.
        with open(SAVED, "w"):
            os.utime(SAVED)
    say(f"saved step {step}")


def load():
    try:
        with open(CHECKPOINT) as file:
            kept = json.load(file)
        return kept["step"], kept["weights"]
    except FileNotFoundError:
        return 0, [0.0] * FEATURES


def lead(peers, samples):
    """The first replica: adds up, decides, saves."""
    step, weights = load()
    say(f"begins at step {step} of {STEPS} with {WORLD_SIZE} replicas")
    for peer in peers:
        send(peer, GO_ON if step < STEPS else STOP, weights)
    while step < STEPS:
        total = gradient(samples, weights)
        words = []
        for peer in peers:
            word, part = hear(peer)
            words.append(word)
            total = [a + b for a, b in zip(total, part)]
        weights = [w - RATE * g for w, g in zip(weights, total)]
        step += 1
        time.sleep(STEP_SECONDS)
        is_asked = asked_to_stop or STOP in words
        if step % SAVE_EVERY == 0 or step == STEPS or is_asked:
            save(step, weights)
        over = STOP if is_asked or step == STEPS else GO_ON
        for peer in peers:
            send(peer, over, weights)
        if is_asked and step < STEPS:
            say(f"asked to stop: step {step} is saved")
            return 128 + signal.SIGTERM
    packed = struct.pack(f"!{FEATURES}d", *weights)
    say(f"result {hashlib.sha256(packed).hexdigest()}")
    return 0


def help_out(first, samples):
    word, weights = hear(first)
    while word == GO_ON:
        send(first, STOP if asked_to_stop else GO_ON, gradient(samples, weights))
        word, weights = hear(first)
    return 0


def main():
    signal.signal(signal.SIGTERM, on_sigterm)
    samples = list(data())
    peers = meet()
    return lead(peers, samples) if RANK == 0 else help_out(peers[0], samples)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        if not asked_to_stop:
            raise
        # Somebody else was faster: what it saved is there.
        say(f"asked to stop: {error}")
        sys.exit(128 + signal.SIGTERM)
