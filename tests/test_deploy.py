"""The files in deploy/ are what Ray, Kubernetes, Docker and a batch system take, and name what is there."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
import yaml

from tests.docs.blocks import pages
from tournament.cli.commands import app

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text())


def steps() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions, each with its arguments."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_copies_what_a_build_from_this_folder_needs() -> None:
    copied = [shlex.split(rest)[:-1] for name, rest in steps() if name == "COPY"]
    names = {source for sources in copied for source in sources}
    for name in names:
        assert (ROOT / name).exists(), name
    # What setup.py reads, with the folders that pyproject.toml packs.
    assert {"pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "engine", "tournament", "entrants"} <= names
    assert "results/README.md" in names


def test_kubernetes_closes_the_job_to_other_pods() -> None:
    job, policy = yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text())
    assert job["spec"]["rayClusterSpec"]["authOptions"] == {"mode": "token"}
    nodes = {"podSelector": {"matchLabels": {"ray.io/is-ray-node": "yes"}}}  # KubeRay's label of all pods of a cluster
    dashboard = {"ports": [{"protocol": "TCP", "port": 8265}]}
    assert policy["spec"] == {**nodes, "policyTypes": ["Ingress"], "ingress": [{"from": [nodes]}, dashboard]}


def test_the_options_that_files_and_pages_give_to_tournament_exist() -> None:
    import typer

    known = {option for p in typer.main.get_command(app).get_command(None, "run").params for option in p.opts}  # type: ignore[attr-defined]
    for path in (*DEPLOY.iterdir(), *pages()):
        for line in re.sub(r"\\\n|\n +--", " --", path.read_text()).splitlines():
            for call in re.findall(r"tournament run ([^'`|&]*)", line):
                assert set(re.findall(r"--[a-z-]+", call)) - {"--screen"} <= known, f"{path.name}: {call}"


def test_cluster_file_is_as_rays_schema_has_it() -> None:
    schema = json.loads((Path(str(ray.__file__)).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(read("cluster.yaml"), schema)


STUB = """#!/bin/sh
echo "$(basename "$0") $* token:${#RAY_AUTH_TOKEN} mode:$RAY_AUTH_MODE" >> "$LOG"
"""
SRUN = STUB + 'while [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n'
RAY = STUB + '[ "$1" = start ] && exec sleep 20 > /dev/null 2>&1\nexit 0\n'
SCONTROL = "#!/bin/sh\nprintf '127.0.0.1\\nlocalhost\\n'\n"
WAITS = 'until grep -q "^ray start .*--address=" "$LOG"; do sleep 0.1; done; '
TOURNAMENT = STUB.replace("echo", f"trap 'exit 130' TERM; {WAITS}echo") + (
    '[ -z "$LASTS" ] || { sleep 20 > /dev/null 2>&1 & wait; }\nexit 3\n'
)


@pytest.fixture
def batch_system(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a job on two nodes, with commands that only tell what they were asked."""
    for name, text in {"srun": SRUN, "ray": RAY, "scontrol": SCONTROL, "tournament": TOURNAMENT}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(stat.S_IRWXU)
    job = {"SLURM_JOB_ID": "12345", "SLURM_JOB_NODELIST": "node[1-2]", "SLURM_CPUS_PER_TASK": "16"}
    return {**os.environ, **job, "PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(tmp_path / "log")}


def test_a_job_of_a_batch_system_starts_ray_on_every_node_and_ends_as_its_run(
    tmp_path: Path, batch_system: dict[str, str]
) -> None:
    command = ["bash", str(DEPLOY / "slurm.sh"), "von_neumann_poker"]
    done = subprocess.run(command, env=batch_system, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3, done.stderr
    log = (tmp_path / "log").read_text().splitlines()
    assert all(line.endswith("token:64 mode:token") for line in log)
    started = [line for line in log if line.startswith("ray start")]
    head = next(line for line in started if "--head" in line)
    assert "--node-ip-address=127.0.0.1 --port=22345 --num-cpus=16" in head
    assert [line for line in started if "--address=127.0.0.1:22345 --num-cpus=16" in line]
    (run,) = [line for line in log if line.startswith("tournament")]
    assert run.startswith("tournament run von_neumann_poker --executor ray --ray-address 127.0.0.1:22345 ")
