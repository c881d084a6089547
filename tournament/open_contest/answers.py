"""What the server of an open contest answers to scripts: each call, and the values of its answer by name.

The reference page, the OpenAPI document that the server hands out, and the tests are made from these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

_EXACT = ConfigDict(extra="forbid")


def _of(meaning: str) -> Any:
    return Field(description=meaning)


class ContestLine(TypedDict):
    """A contest, as the list of contests has it."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    name: Annotated[str, _of("its name, as in `?contest=NAME`")]
    title: Annotated[str, _of("its title")]
    state: Annotated[str, _of("not open yet, open, or closed: the final counts")]
    opens: Annotated[str | None, _of("from when on bots are taken; null: now")]
    closes: Annotated[str | None, _of("until when, before a final is played; null: no end is set")]
    url: Annotated[str, _of("address of its rules")]


class Decision(TypedDict):
    """A decision that a bot is asked for."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    name: Annotated[str, _of("the name of the bot's function")]
    arguments: Annotated[list[str], _of("what the function gets besides what it is told")]
    told: Annotated[list[str], _of("the names of what the bot is told")]
    description: Annotated[str, _of("what the bot decides")]
    answers: Annotated[str, _of("which answers are legal, if there is more to say than a template does")]


class Limits(TypedDict):
    """What an author may ask for."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    bots: Annotated[int, _of("bots of an author in the contest")]
    submissions_per_day: Annotated[int, _of("checks, practice matches, replays and bots submitted, from midnight UTC")]
    seconds_per_day: Annotated[int, _of("of the server's machine, for all of these")]
    games_per_match: Annotated[int, _of("about this many games of a practice match; sessions are cut to fit")]
    bytes_per_file: Annotated[int, _of("of a bot's file or archive")]


class ContestAnswer(ContestLine):
    """A contest's rules, and what a bot needs to know."""

    description: Annotated[str, _of("the rules, in a few sentences")]
    unit: Annotated[str, _of("what a point is")]
    house: Annotated[bool, _of("whether bots play house players instead of each other")]
    decisions: Annotated[list[Decision], _of("what a bot is asked for")]
    settings: Annotated[dict[str, Any], _of("the contest's settings on which games depend, such as time limits")]
    limits: Annotated[Limits, _of("what an author may ask for")]
    templates: Annotated[dict[str, str], _of("addresses of bots to start from, by language")]


class StandingsAnswer(TypedDict):
    """The board as everybody sees it."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    contest: Annotated[str, _of("its name")]
    made: Annotated[str, _of("when the board was made")]
    open: Annotated[bool, _of("whether the contest is open; if not, this is the final")]
    leaderboard: Annotated[list[dict[str, Any]], _of("as `tournament leaderboard --json` prints it")]


class JobAnswer(TypedDict):
    """A job, and what became of it."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    id: Annotated[str, _of("its name")]
    author: Annotated[str, _of("whose it is")]
    contest: Annotated[str, _of("for which contest")]
    bot: Annotated[str, _of("the bot's name")]
    file: Annotated[str, _of("the file that was submitted")]
    at: Annotated[str, _of("when")]
    kind: Annotated[str, _of("bot, check, practice, replay or withdrawal")]
    state: Annotated[
        str, _of("queued, entered, not fit, fit, played, replaced, withdrawn or set aside; all but the first are final")
    ]
    said: Annotated[str, _of("what the check says, or why it failed; of a match or a replay the report as text")]
    starts: Annotated[int, _of("how often it was taken up")]
    failures: Annotated[int, _of("how often the server's machine failed at it")]
    sha256: Annotated[str, _of("of what was submitted")]
    asks: Annotated[dict[str, Any], _of("opponents, sessions or the game that were asked for")]
    url: Annotated[str, _of("where to ask for it again")]
    place_in_queue: Annotated[int | None, _of("how many are to be done up to this one; null once it is done")]
    report: Annotated[
        dict[str, Any] | None,
        _of("of a match what `tournament match --json` prints, of a replay what `tournament replay --json` prints"),
    ]


class Version(TypedDict):
    """A version of a bot, as a board had it."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    sha: Annotated[str, _of("the beginning of its sha256")]
    made: Annotated[str, _of("when it was last on a board")]
    score: Annotated[float | None, _of("its score then")]
    rank: Annotated[int | None, _of("its rank then")]
    field_size: Annotated[int, _of("among how many")]


class FaultLine(TypedDict):
    """A fault of the author's bot."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    opponent: Annotated[str, _of("against whom")]
    session: Annotated[int, _of("of the match")]
    game: Annotated[int, _of("of the session")]
    decision: Annotated[str, _of("the decision")]
    message: Annotated[str, _of("what happened")]
    question_text: Annotated[str, _of("the question in words")]
    last_output: Annotated[str, _of("the last lines that the bot printed")]


class LostTo(TypedDict):
    """Where a bot loses, in sentences."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    opponent: Annotated[str, _of("whom it does worst against")]
    points_per_session: Annotated[float, _of("against that one")]
    lines: Annotated[list[str], _of("as which seat, and in which kinds of game")]


class BotLine(TypedDict):
    """A bot of the author's."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    bot: Annotated[str, _of("its name")]
    state: Annotated[str, _of("entered, or what became of its last job")]
    place: Annotated[str | None, _of("the ranks that may be its true one; null before it has played")]
    field_size: Annotated[int | None, _of("among how many")]
    score: Annotated[float | None, _of("its score")]
    matches: Annotated[int, _of("opponents met")]
    disqualified: Annotated[str | None, _of("why it is disqualified or broken")]
    anchor: Annotated[str, _of("its place on the contest's page")]
    faults: Annotated[list[FaultLine], _of("its faults")]
    losses: Annotated[LostTo | None, _of("where it loses; null before it has played")]
    versions: Annotated[list[Version], _of("its versions, the newest last")]


class MyContest(TypedDict):
    """A contest with the author's bots."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    name: Annotated[str, _of("its name")]
    title: Annotated[str, _of("its title")]
    opens: Annotated[str | None, _of("from when on bots are taken")]
    closes: Annotated[str | None, _of("until when")]
    is_over: Annotated[bool, _of("whether it has closed")]
    bots: Annotated[list[BotLine], _of("the author's bots")]


class MineAnswer(TypedDict):
    """All that an author may know of their bots."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    author: Annotated[str, _of("whose token it is")]
    submissions_left: Annotated[int, _of("today")]
    seconds_left: Annotated[float, _of("of the server's machine, today")]
    contests: Annotated[list[MyContest], _of("each with the author's bots")]
    jobs: Annotated[list[JobAnswer], _of("the last ones, the newest first")]


class LossesAnswer(TypedDict):
    """Where a bot loses to an opponent."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    bot: Annotated[str, _of("its name")]
    opponent: Annotated[str, _of("the one that was asked for, or whom it does worst against")]
    match: Annotated[int, _of("the number of their match")]
    points_per_session: Annotated[float, _of("against that one")]
    seats: Annotated[list[dict[str, Any]], _of("by role: `seat`, `mean` points a `unit`, `count` of these")]
    game_kinds: Annotated[
        list[dict[str, Any]] | None,
        _of("where most is lost: `kind`, `count`, points `won`, `share` of all losses, the worst `session` and `game`"),
    ]
    trend: Annotated[list[float], _of("its points in equal stretches of the match")]
    over: Annotated[str, _of("the unit of `trend`: session or game")]


class SignedIn(TypedDict):
    """Who signed in, in a browser."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    author: Annotated[str, _of("whose token it is")]


class ErrorAnswer(TypedDict, total=False):
    """Why a call was refused."""

    __pydantic_config__ = _EXACT  # type: ignore[misc]
    error: Annotated[str, _of("in a sentence")]
    retry_after: Annotated[int, _of("seconds after which it may work")]


@dataclass(frozen=True)
class Call:
    """A method at an address: what it does, its parameters, whether it takes a file, and what it answers."""

    method: str
    path: str
    does: str
    answer: Any
    parameters: Mapping[str, str] = field(default_factory=dict)
    takes: str = ""
    needs_token: bool = True

    @property
    def names_in_path(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)


_CONTEST = {"contest": "for which contest, if the server has several"}
_WAIT = {"wait": "seconds to wait for the outcome, at most 60"}
_MATCH = {"against": "opponents by name, with commas; default all", "sessions": "of each match; default the contest's"}
_BOT = "a bot's file; a program's folder as an archive NAME.zip"
CALLS = (
    Call("GET", "/contests", "list the contests", list[ContestLine], needs_token=False),
    Call("GET", "/contests/{name}", "rules, settings, limits and templates", ContestAnswer, needs_token=False),
    Call("GET", "/contests/{name}/standings", "the board", StandingsAnswer, needs_token=False),
    Call("PUT", "/bots/{file}", "submit a bot", JobAnswer, _CONTEST | _WAIT, _BOT),
    Call("DELETE", "/bots/{file}", "withdraw a bot, by its name", JobAnswer, _CONTEST | _WAIT),
    Call("POST", "/check/{file}", "check a bot without entering it", JobAnswer, _CONTEST | _WAIT, _BOT),
    Call(
        "POST",
        "/practice/{file}",
        "play a bot against others without entering it; without a file's ending the bot that is in the contest",
        JobAnswer,
        _CONTEST | _WAIT | _MATCH,
        _BOT,
    ),
    Call(
        "POST",
        "/replay/{bot}",
        "show a recorded session of your bot step by step, without what the opponent printed",
        JobAnswer,
        _CONTEST
        | _WAIT
        | {"opponent": "whom it met", "session": "of their match, from 0", "game": "only this one, from 0"},
    ),
    Call(
        "GET", "/losses/{bot}", "where your bot loses", LossesAnswer, _CONTEST | {"opponent": "default the worst one"}
    ),
    Call("GET", "/mine", "all your bots and what became of them", MineAnswer),
    Call("GET", "/jobs", "your last jobs, without what was said to them", list[JobAnswer]),
    Call("GET", "/jobs/{id}", "a job", JobAnswer, _WAIT),
    Call(
        "POST",
        "/submit/in",
        "sign a browser in; the body is the token. Its cookie counts with an `Origin` of this server",
        SignedIn,
        takes="the token",
    ),
)
STATUSES = {
    200: "done", 202: "queued; ask again at `url`", 400: "a parameter is wrong or missing", 401: "no or a wrong token",
    403: "the contest isn't open, or this isn't shown yet", 404: "no such contest, bot, opponent or job",
    405: "another method is needed", 408: "the file came too slowly", 409: "the name is another's, too many bots, or"
    " one that enters nothing is still to be done", 413: "the file is too large", 422: "not fit, or set aside",
    429: "too many today, see `retry_after`", 500: "an error of the server's own",
    503: "others are asking for the same; ask again", 507: "the machine's disk is nearly full",
}  # fmt: skip


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI document of all calls."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}

    def schema_of(answer: Any) -> Any:
        found = TypeAdapter(answer).json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(found.pop("$defs", {}))
        if found.get("type") == "object":
            schemas[found["title"]] = found
            return {"$ref": f"#/components/schemas/{found['title']}"}
        return found

    def as_json(answer: Any) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": schema_of(answer)}}}

    for call in CALLS:
        known = [
            {"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in call.names_in_path
        ]
        known += [
            {"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}}
            for name, meaning in call.parameters.items()
        ]
        done = [200, 202] if call.answer is JobAnswer else [200]
        told: dict[str, Any] = {
            "summary": call.does,
            "operationId": re.sub(r"\W+", "_", f"{call.method.lower()} {call.path}").strip("_"),
            "parameters": known,
            "security": [{"token": []}] if call.needs_token else [],
            "responses": {str(code): {"description": STATUSES[code], **as_json(call.answer)} for code in done}
            | {"default": {"description": "why it was refused", **as_json(ErrorAnswer)}},
        }
        if call.answer is JobAnswer:
            told["responses"]["422"] = {"description": STATUSES[422], **as_json(JobAnswer)}
        if call.takes:
            content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
            told["requestBody"] = {"description": call.takes, "content": content}
        paths.setdefault(call.path, {})[call.method.lower()] = told
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "An open contest of bots",
            "version": "1",
            "description": "Send Accept: application/json, and your token as Authorization: Bearer TOKEN.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def calls_in_words() -> str:
    """Return a page for models that write bots: how to call the server."""
    lines = [
        "# An open contest of bots",
        "",
        "> Write a bot, check it, play it against others, submit it, and see where it stands. All by HTTP and JSON.",
        "",
        "Send `Accept: application/json`, and the author's token as `Authorization: Bearer TOKEN`. Jobs take a while:",
        "add `?wait=60`, and while `state` is queued ask again at `url`. /openapi.json has all schemas.",
        "",
    ]
    for call in CALLS:
        query = "&".join(f"{name}=" for name in call.parameters)
        lines.append(f"- `{call.method} {call.path}{'?' if query else ''}{query}`: {call.does}")
    return "\n".join(lines) + "\n"
