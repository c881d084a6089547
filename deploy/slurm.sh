#!/bin/bash
# A contest on nodes of a batch system: sbatch deploy/slurm.sh von_neumann_poker
# To be called in the contest's folder, on a file system that all nodes share; the arguments go to `tournament run`.
# When the time is over, or the job is preempted, what was committed stays: the same call goes on.
#SBATCH --job-name=tournament
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=2G
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120

set -euo pipefail

# Every job has a token of its own, which only its user can read; nothing listens for anybody without it.
RAY_AUTH_TOKEN=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
export RAY_AUTH_TOKEN RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0

# The signal of a polite end goes to this script; the run is to have it.
trap 'kill -TERM "$!"' TERM INT

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
address=$(getent ahostsv4 "$head" | awk 'NR == 1 { print $1 }')
port=$((20000 + SLURM_JOB_ID % 10000))       # several jobs may share a node
cores=${SLURM_CPUS_PER_TASK:-1}              # Ray would count the machine's

# In the background only: the shell that it runs in becomes srun.
on_node() { exec srun --overlap --nodes=1 --ntasks=1 --nodelist="$1" "${@:2}"; }

on_node "$head" ray start --block --head --node-ip-address="$address" --port="$port" --num-cpus="$cores" \
  --include-dashboard=false --temp-dir="/tmp/ray-$SLURM_JOB_ID" &
until ray health-check --address "$address:$port" > /dev/null 2>&1; do
  kill -0 $! || exit 1
  sleep 1
done
for node in "${nodes[@]:1}"; do
  on_node "$node" ray start --block --address="$address:$port" --num-cpus="$cores" &
done

tournament run "$@" --executor ray --ray-address "$address:$port" &
run=$!
wait "$run" || true                           # a signal ends this one
status=0
wait "$run" || status=$?
trap - TERM INT
kill $(jobs -p) 2> /dev/null || true
exit "$status"
