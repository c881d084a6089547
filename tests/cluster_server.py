"""Nodes of a Ray cluster on this machine: `python -m tests.cluster_server`.

A line of JSON starts a node: {"ip": "127.0.0.2", "cpus": 1, "environment": {…}, "head": "127.0.0.1:1234"}. Without a
head it is one. The answer is its head's address and its processes by kind. All end with the input. Environment:
RAY_TMPDIR says where their files lie, RAY_AUTH_TOKEN what they ask everybody for.
"""

from __future__ import annotations

import json
import os
import sys

_OBJECT_STORE_BYTES = 80 << 20


def main() -> None:
    """Start a node for each line of the input, and end all of them with it."""
    from ray._private.node import Node
    from ray._private.parameter import RayParams

    nodes: list[Node] = []
    for line in sys.stdin:
        wanted = json.loads(line)
        head = wanted.get("head")
        parameters = RayParams(
            node_ip_address=wanted["ip"],
            num_cpus=wanted["cpus"],
            num_gpus=0,
            object_store_memory=_OBJECT_STORE_BYTES,
            include_dashboard=False,
            include_log_monitor="",
            no_monitor=True,
            min_worker_port=0,
            max_worker_port=0,
            dashboard_agent_listen_port=None,
            temp_dir=os.environ["RAY_TMPDIR"],
            env_vars=wanted["environment"],
            gcs_address=head,
            redis_address=head,
        )
        node = Node(parameters, head=head is None, shutdown_at_exit=False, spawn_reaper=False)
        nodes.append(node)
        processes = {kind: [info.process.pid for info in infos] for kind, infos in node.all_processes.items()}
        print(json.dumps({"address": node.gcs_address, "processes": processes}), flush=True)
    for node in reversed(nodes):
        node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)


if __name__ == "__main__":
    main()
