"""The files in deploy/ are what Ray, Kubernetes, Docker and a batch system take, and name what is there."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
import yaml

import tournament
from tests.contest_runs import CONTEST, environment, make_contest
from tournament.cache import cache_folder
from tournament.cli.commands import app
from tournament.cli.groups import OWN

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
PAGES = [ROOT / "README.md", ROOT / "docs" / "how_to" / "cluster.md"]


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text())


def steps() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and what each is given."""
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


def test_the_image_is_made_by_the_readmes_commands() -> None:
    runs = [rest for name, rest in steps() if name == "RUN"]
    assert "`pip install` of this folder" in (ROOT / "README.md").read_text()
    assert "pip install --no-cache-dir '.[serve]' 'ray[default]'" in runs
    for command in re.findall(r"\btournament (\w+)", " ".join(runs)):
        assert command in OWN
    least = re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    image = re.match(r"python:3\.(\d+)", dict(steps())["FROM"])
    assert least and image and int(image.group(1)) >= int(least.group(1))


def containers(group: Any) -> list[Any]:
    return list(group["template"]["spec"]["containers"])


def test_the_job_for_kubernetes_is_whole() -> None:
    job, policy = yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    head, (workers,) = cluster["headGroupSpec"], cluster["workerGroupSpecs"]
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[:2] == ["tournament", "run"]
    options = dict(zip(words[3::2], words[4::2]))
    assert "://" in options["--results"]  # which every pod reaches
    assert options["--ray-address"] == "auto"
    for group in (head, workers):
        (container,) = containers(group)
        assert container["image"] == containers(head)[0]["image"]
        assert container["resources"]["limits"] == container["resources"]["requests"]
        volumes = {volume["name"] for volume in group["template"]["spec"]["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
        mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
        for option in ("--config", "--entrants"):
            assert any(Path(options[option]).is_relative_to(path) for path in mounted), option
    nodes = {"podSelector": {"matchLabels": {"ray.io/is-ray-node": "yes"}}}  # KubeRay's label of all pods of a cluster
    dashboard = {"ports": [{"protocol": "TCP", "port": 8265}]}
    assert (policy["apiVersion"], policy["kind"]) == ("networking.k8s.io/v1", "NetworkPolicy")
    assert policy["spec"] == {**nodes, "policyTypes": ["Ingress"], "ingress": [{"from": [nodes]}, dashboard]}


def test_the_options_that_files_and_pages_give_to_tournament_exist() -> None:
    import typer

    known = {option for p in typer.main.get_command(app).get_command(None, "run").params for option in p.opts}  # type: ignore[attr-defined]
    for path in (*DEPLOY.iterdir(), *PAGES):
        for line in re.sub(r"\\\n|\n +--", " --", path.read_text()).splitlines():
            for call in re.findall(r"tournament run ([^'`|&]*)", line):
                assert set(re.findall(r"--[a-z-]+", call)) - {"--screen"} <= known, f"{path.name}: {call}"


def test_cluster_file_is_as_rays_schema_has_it() -> None:
    schema = json.loads((Path(str(ray.__file__)).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(read("cluster.yaml"), schema)


RAY_UP = """#!/bin/sh
command=$1; shift 2
case $command in
  rsync-up) cp -r "$1" "$HOME/${2#/home/ray/}" ;;
  exec) cd "$HOME" && sh -c "$1" ;;
esac
"""


def test_lines_for_aws_play_the_contest_that_is_uploaded_and_no_other(tmp_path: Path) -> None:
    """The head is this machine, and the bucket a folder; the file's lines run as they stand."""
    head, contest = tmp_path / "head", tmp_path / "my_contest"
    head.mkdir()
    make_contest(contest, ["bold", "calm"], sessions=4)
    (tmp_path / "ray").write_text(RAY_UP)
    (tmp_path / "ray").chmod(stat.S_IRWXU)
    header = (DEPLOY / "cluster.yaml").read_text().split("cluster_name:")[0]
    lines = [line.removeprefix("#").strip() for line in header.splitlines() if line.startswith("#   ray ")]
    here = {"s3://bucket/prefix": str(tmp_path / "bucket"), "--executor ray --ray-address auto": "--executor local"}
    for line in lines:
        for there, replaced in here.items():
            line = line.replace(there, replaced)
        path = f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env=environment({"HOME": str(head), "PATH": path, "TOURNAMENT_CACHE": str(cache_folder())}),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stderr)
    assert {one.name for one in tournament.load(tmp_path / "bucket" / CONTEST).entrants.itertuples()} == {
        "bold",
        "calm",
    }
    assert not [rest for name, rest in steps() if name == "RUN" and "init" in rest]


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
    """The environment of a job on two nodes, with commands that only tell what they were asked."""
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
