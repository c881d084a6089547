"""The page: findings laid out for the template, and the template filled in.

Names, faults and last outputs are strangers' texts. The template escapes whatever it is given. Only our script and
style may run, by their hashes, and nothing may be loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.reporting.bots import Bots
from tournament.reporting.charts import chart, line_plot, spark
from tournament.reporting.figures import clean, plain, signed, size_text
from tournament.reporting.findings import Findings
from tournament.reporting.games import games_for_viewer
from tournament.reporting.layout import Layout, breakable

_TEMPLATES = Path(__file__).parent / "templates"


HEADING = "Tournament report"


@cache
def environment() -> Environment:
    """The templates of ours, with their filters."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "signed": signed, "plain": plain, "clean": clean, "size": size_text,
        "breakable": breakable, "chart": chart, "line_plot": line_plot, "spark": spark, "utc": utc, "utc_of": _utc_of,
    }  # fmt: skip
    return made


def utc(when: datetime) -> str:
    """A time to the minute, as pages show it."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _utc_of(when: str) -> str:
    return utc(datetime.fromisoformat(when))


@cache
def inlined(name: str) -> str:
    """A style sheet or script of ours, without indentation and comments that have a line of their own."""
    lines = map(str.strip, environment().get_template(name).render().splitlines())
    return "\n".join(
        line for line in lines if line and not line.startswith("//") and not re.fullmatch(r"/\*.*\*/", line)
    )


@cache
def _script() -> str:
    return inlined("report.js")


def source_hash(text: str) -> str:
    """By which a page's policy allows this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def content_policy(live: bool) -> str:
    """What the page may do: use our script and style. A served one may also ask its server for news."""
    rules = [
        "default-src 'none'",
        f"style-src {source_hash(inlined('report.css'))}", f"script-src {source_hash(_script())}",
        "img-src data:", *(["connect-src 'self'"] if live else []), "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip
    return "; ".join(rules)


def render(
    contest: Contest,
    findings: Findings,
    live: bool = False,
    author: str | None = None,
    options: str = "",
    heading: str = HEADING,
) -> str:
    """The page as text: for everybody, or for one bot's author. `options` follow the commands that it prints; the
    `heading` is above the contest's title."""
    (text,) = render_each(contest, findings, [author], live, options, heading)
    return text


def render_each(
    contest: Contest,
    findings: Findings,
    authors: Sequence[str | None],
    live: bool = False,
    options: str = "",
    heading: str = HEADING,
) -> Iterator[str]:
    """A page for each author."""
    for author in authors:
        page = Layout(contest, findings, live, author, options)
        games = games_for_viewer(contest, page.watchable, findings.survey, findings.told, page.tables)
        yield (
            environment()
            .get_template("report.html")
            .render(
                page=page,
                bots=Bots(page),
                games=games,
                findings=findings,
                heading=heading,
                policy=content_policy(live),
                style=Markup(inlined("report.css")),
                script=Markup(_script()),
            )
        )
