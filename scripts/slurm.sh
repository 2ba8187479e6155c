#!/usr/bin/env bash
# Slurm and Tidegate side by side on this machine: so many jobs of `true`, submitted one by one, at most so many at
# once; the time from the first submission to the last end. Debian's slurm-wlm is installed by apt-get if it is
# missing; its configuration, state and daemons live in a private directory and are gone at the end. Needs root.
#
#   scripts/slurm.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-500}
at_once=$(($(nproc) * 4))
port=${SLURM_PORT:-26817}

if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  echo "installing slurm-wlm and munge by apt-get" >&2
  apt-get update >&2
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends slurm-wlm munge >&2
fi
cargo build --release --bin tidegate --bin tidegate-bench >&2

work=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

host=$(hostname -s)
mkdir -m 700 "$work/munge"
mkdir "$work/state" "$work/spool" "$work/out"
# munged insists on a socket that everybody can reach, and a key that nobody can read.
chmod 755 "$work"
mkdir -m 755 "$work/socket"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
# The scheduler does not wait for more to come: unset, it starts three jobs in a second.
cat >"$work/slurm.conf" <<END
ClusterName=side
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/socket/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
MaxJobCount=$((jobs + 1000))
NodeName=$host NodeAddr=127.0.0.1 CPUs=$at_once State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf

munged --foreground --force --key-file="$work/munge/key" --socket="$work/socket/munge" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" 2>"$work/munge.err" &
pids+=($!)
until [ -S "$work/socket/munge" ]; do sleep 0.05; done
slurmctld -D -i 2>"$work/slurmctld.err" &
pids+=($!)
slurmd -D -N "$host" 2>"$work/slurmd.err" &
pids+=($!)
for _ in $(seq 600); do
  [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break
  sleep 0.1
done
if [ "$(sinfo -h -o %T)" != idle ]; then
  echo "Slurm's node is not ready: $(sinfo -h -o '%T %E')" >&2
  tail -n 5 "$work"/*.log "$work"/*.err >&2
  exit 1
fi

printf '#!/bin/sh\ntrue\n' >"$work/job.sh"
start=$EPOCHREALTIME
for _ in $(seq "$jobs"); do
  sbatch --quiet --output=/dev/null "$work/job.sh"
done
until [ -z "$(squeue -h)" ]; do sleep 0.1; done
end=$EPOCHREALTIME
took=$(((${end/[.,]/} - ${start/[.,]/}) / 1000))
[ "$took" -gt 0 ] || took=1

echo "Slurm $(sbatch --version | cut -d' ' -f2): $jobs jobs of true, sbatch one by one, at most $at_once at once: $took ms, $((jobs * 1000 / took)) jobs/s"
cleanup
trap - EXIT
TIDEGATE_BENCH_JOBS=$jobs TIDEGATE_BENCH_SLURM_MS=$took "${CARGO_TARGET_DIR:-target}/release/tidegate-bench" jobs
