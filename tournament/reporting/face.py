"""The pages around the report of an open contest: the front page, submission, and an author's own page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from tournament.reporting.page import content_policy, environment, inlined, source_hash


@dataclass(frozen=True)
class ContestFace:
    """Public facts about an open contest.

    Attributes:
        name: Name of the contest.
        title: Title of the contest.
        description: Description of the contest.
        state: Whether it takes bots or is over, as text.
        opens: Time at which it opens; None if it is open already.
        closes: Time at which it closes; None if it doesn't close.
        templates: Files to start a bot from: their content as text, by language.
        is_over: Whether the contest is over.
        preliminary: Whether the preliminary of its final has a page.
    """

    name: str
    title: str
    description: str
    state: str
    opens: datetime | None
    closes: datetime | None
    templates: Mapping[str, str]
    is_over: bool = False
    preliminary: bool = False


def _face_policy() -> str:
    """Return the content policy of these pages.

    They may use the project's style and script, images in their own text, and forms and requests to this server.
    """
    return (
        f"default-src 'none'; style-src {source_hash(_style())}; script-src {source_hash(_script())};"
        " img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'"
    )


def served_policy() -> str:
    """Return the content policy of an open contest's server: everything that reports or these pages need."""
    reports, faces = (dict(rule.split(" ", 1) for rule in policy.split("; ")) for policy in
                      (content_policy(live=True), _face_policy()))  # fmt: skip
    rules = []
    for name, allowed in reports.items():
        sources = dict.fromkeys([*allowed.split(), *faces[name].split()])
        rules.append(" ".join([name, *([one for one in sources if one != "'none'"] or ["'none'"])]))
    return "; ".join([*rules, "frame-ancestors 'none'"])


def front_page(contests: Sequence[ContestFace], *, submissions: bool) -> str:
    """Return the page that leads to the contests, as HTML.

    Args:
        contests: The contests.
        submissions: Whether they take bots over the web.
    """
    return face_page("front", None, submissions, contests=contests)


def small_page(title: str, text: str) -> str:
    """Return a page with a title and a sentence, which reloads itself, as HTML."""
    return face_page("waits", None, submissions=False, title=title, text=text)


def face_page(page: str, signed_in: Any, submissions: bool = True, **values: object) -> str:
    """Return a page made from a template, as HTML.

    Args:
        page: Name of the template.
        signed_in: Author who reads the page; None for the public.
        submissions: Whether the contests take bots over the web.
        **values: Values for the template.
    """
    filled = {"page": page, "signed_in": signed_in, "submissions": submissions, **values}
    template = environment().get_template(f"face/{page}.html")
    return template.render(policy=_face_policy(), style=Markup(_style()), script=Markup(_script()), **filled)


def _style() -> str:
    return inlined("report.css") + "\n" + inlined("face/face.css")


def _script() -> str:
    return inlined("face/face.js")
