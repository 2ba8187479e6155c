"""Distributed training with PyTorch: DistributedDataParallel, saved and resumed.

Each replica is one process with the devices that it was granted. Backend NCCL where there are GPUs, Gloo elsewhere.
"""

import hashlib
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

RANK = int(os.environ.get("RANK", "0"))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", "1"))
CHECKPOINT = os.path.join(os.environ.get("TIDEGATE_CHECKPOINT_DIR", "."), "model.pt")
SAVED = os.environ.get("TIDEGATE_CHECKPOINT_SAVED")
STEPS = int(os.environ.get("STEPS", "200"))
SAVE_EVERY = int(os.environ.get("SAVE_EVERY", "10"))
# As if there were more to compute.
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.05"))
SAMPLES, FEATURES, HIDDEN = 4096, 64, 256

asked_to_stop = False


def on_sigterm(_signal, _frame):
    """The notice of preemption: what is being done is finished and saved first."""
    global asked_to_stop
    asked_to_stop = True


def say(text):
    print(text, flush=True)


def samples(device):
    """This replica's part of the samples; the same each time."""
    generator = torch.Generator().manual_seed(7)
    x = torch.rand(SAMPLES, FEATURES, generator=generator) * 2 - 1
    y = torch.sin(x.sum(dim=1, keepdim=True))
    return x[RANK::WORLD_SIZE].to(device), y[RANK::WORLD_SIZE].to(device)


def save(step, model, optimizer):
    """Whole or not at all: who is killed while it saves has the save before."""
    with open(CHECKPOINT + ".new", "wb") as file:
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(CHECKPOINT + ".new", CHECKPOINT)
    if SAVED:
        # Tidegate looks at the time of this file: up to then, nothing is lost.
        with open(SAVED, "w"):
            os.utime(SAVED)
    say(f"saved step {step}")


def anybody(flag, device):
    """Whether any replica says so: all learn it in the same step."""
    value = torch.tensor([float(flag)], device=device)
    if WORLD_SIZE > 1:
        dist.all_reduce(value)
    return value.item() > 0


def main():
    signal.signal(signal.SIGTERM, on_sigterm)
    has_gpu = torch.cuda.is_available()
    # The granted devices are the only ones that this process sees.
    device = torch.device("cuda", 0) if has_gpu else torch.device("cpu")
    torch.manual_seed(11)
    torch.use_deterministic_algorithms(True)
    if WORLD_SIZE > 1:
        dist.init_process_group("nccl" if has_gpu else "gloo")
    layers = torch.nn.Linear(FEATURES, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1)
    model = torch.nn.Sequential(*layers).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    step = 0
    if os.path.exists(CHECKPOINT):
        kept = torch.load(CHECKPOINT, map_location=device, weights_only=True)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        step = kept["step"]
    trained = DistributedDataParallel(model) if WORLD_SIZE > 1 else model
    if RANK == 0:
        name = torch.cuda.get_device_name(0) if has_gpu else "CPU"
        say(f"begins at step {step} of {STEPS} with {WORLD_SIZE} replicas on {name}")
    x, y = samples(device)
    while step < STEPS:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(trained(x), y)
        loss.backward()
        optimizer.step()
        step += 1
        time.sleep(STEP_SECONDS)
        is_asked = anybody(asked_to_stop, device)
        if RANK == 0 and (step % SAVE_EVERY == 0 or step == STEPS or is_asked):
            save(step, model, optimizer)
        if is_asked and step < STEPS:
            say(f"asked to stop: step {step} is saved")
            return 128 + signal.SIGTERM
    if RANK == 0:
        packed = b"".join(p.detach().cpu().numpy().tobytes() for p in model.parameters())
        say(f"loss {loss.item():.6f}")
        say(f"result {hashlib.sha256(packed).hexdigest()}")
    if WORLD_SIZE > 1:
        dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
