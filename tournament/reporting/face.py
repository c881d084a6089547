"""The pages around the report of an open contest: its front, where bots are submitted, and an author's own page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from tournament.reporting.page import content_policy, environment, inlined, source_hash


@dataclass(frozen=True)
class ContestFace:
    """What everybody may know of an open contest. `templates` are files to start a bot from, by language. `state` says
    in words whether it takes bots, or is over."""

    name: str
    title: str
    description: str
    state: str
    opens: datetime | None
    closes: datetime | None
    templates: Mapping[str, str]
    is_over: bool = False


def face_policy() -> str:
    """What these pages may do: use our style and script, and ask this server."""
    return (
        f"default-src 'none'; style-src {source_hash(_style())}; script-src {source_hash(_script())};"
        " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def served_policy() -> str:
    """What any page of an open contest's server may do: as its own policy, a report's or that of these pages."""
    rules = []
    for report, face in zip(content_policy(live=True).split("; "), _in_order(face_policy(), content_policy(live=True))):
        rules.append(report if report == face else f"{report} {face.partition(' ')[2]}")
    return "; ".join([*rules, "frame-ancestors 'none'"])


def _in_order(policy: str, like: str) -> list[str]:
    """The rules of a policy in the order that another has."""
    rules = {rule.partition(" ")[0]: rule for rule in policy.split("; ")}
    return [rules[rule.partition(" ")[0]] for rule in like.split("; ")]


def front_page(contests: Sequence[ContestFace], *, submissions: bool) -> str:
    """The page that leads to the contests."""
    return _filled("front", contests=contests, submissions=submissions)


def submit_page(contests: Sequence[ContestFace], kinds: Sequence[str]) -> str:
    """The page on which bots are submitted."""
    return _filled("submit", contests=contests, kinds=kinds, submissions=True)


def mine_page(mine: Mapping[str, Any], words_of_job: Callable[[Mapping[str, Any]], str]) -> str:
    """An author's own page, of the values that a script gets, too; `words_of_job` tells a job to people."""
    return _filled("mine", mine=mine, words_of_job=words_of_job, submissions=True)


def job_page(job: Mapping[str, Any], words_of_job: Callable[[Mapping[str, Any]], str]) -> str:
    """The page of a job, which asks for itself again while it waits."""
    return _filled("job", job=job, words_of_job=words_of_job, submissions=True)


def small_page(title: str, text: str) -> str:
    """A page with a sentence, that is asked for again by itself."""
    return _filled("waits", title=title, text=text, submissions=False)


def _filled(page: str, **values: object) -> str:
    return (
        environment()
        .get_template(f"face/{page}.html")
        .render(policy=face_policy(), style=Markup(_style()), script=Markup(_script()), page=page, **values)
    )


def _style() -> str:
    return inlined("report.css") + "\n" + inlined("face/face.css")


def _script() -> str:
    return inlined("face/face.js")
