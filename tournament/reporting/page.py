"""The page: findings laid out for the template, and the filled-in template.

Untrusted authors write names, faults and last outputs, so the template escapes them. Only the project's script and
style can run, identified by their hashes, and nothing can be loaded from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.reporting.bots import Bots
from tournament.reporting.charts import chart
from tournament.reporting.figures import clean, plain, signed, size_text
from tournament.reporting.findings import Findings
from tournament.reporting.games import games_for_viewer
from tournament.reporting.layout import Layout, breakable

HEADING = "Tournament report"


@cache
def environment() -> Environment:
    """Return the templates with their filters. All calls return one object, which callers must not change."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "signed": signed, "plain": plain, "clean": clean, "size": size_text, "breakable": breakable, "chart": chart,
        "utc": utc, "utc_of": lambda when: utc(datetime.fromisoformat(when)),
    }  # fmt: skip
    return templates


def utc(when: datetime) -> str:
    """Return a time in UTC, to the minute, as pages show it."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


@cache
def inlined(name: str) -> str:
    """Return a style sheet or script without indentation and without comments on their own lines."""
    lines = map(str.strip, environment().get_template(name).render().splitlines())
    return "\n".join(
        line for line in lines if line and not line.startswith("//") and not re.fullmatch(r"/\*.*\*/", line)
    )


def source_hash(text: str) -> str:
    """Return the sha256, in base64, by which a page's policy allows this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def content_policy(live: bool) -> str:
    """Return the page's content policy: the project's script and style, and requests to its server if it is served."""
    rules = [
        "default-src 'none'",
        f"style-src {source_hash(inlined('report.css'))}", f"script-src {source_hash(inlined('report.js'))}",
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
    """Return the page as HTML.

    Args:
        contest: Contest of the records.
        findings: What the records have.
        live: Whether the page is served, and asks its server for news.
        author: The bot whose author the page is for; None for everybody.
        options: Options of the commands that the page prints; "" for none.
        heading: Text above the contest's title.

    Raises:
        ValueError: A recorded number that the viewer shows is infinite or NaN.
        InputError: The standings of self-play, which are read for the crosstable, need rules that aren't installed.
        RunError: The records of self-play can't be read, or this machine can't load the rules.
        OSError: A folder of self-play can't be searched, or its field can't be read.
    """
    page = Layout(contest, findings, live, author, options)
    return (
        environment()
        .get_template("report.html")
        .render(
            page=page,
            bots=Bots(page),
            games=games_for_viewer(contest, page.watchable, findings.survey, findings.replayed, page.tables),
            findings=findings,
            heading=heading,
            policy=content_policy(live),
            style=Markup(inlined("report.css")),
            script=Markup(inlined("report.js")),
        )
    )
