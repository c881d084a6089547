"""The pictures of docs/explanation/ranking.md, plain SVG: `python -m benchmarks.ranking_pictures docs/explanation`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ranking import Rehearsal, plain_field
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.standings.stopping import looks, reaches
from tournament.standings.student import quantile

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 720, 300, 70, 40


def _picture(content: Sequence[str]) -> str:
    style = "<style>text{font:12px sans-serif;fill:#444}line{stroke:#bbb}</style>"
    frame = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
    return "\n".join([head, style, frame, *content, "</svg>"]) + "\n"


def scatter(tournaments: int = 10) -> str:
    """Scores of the plain field in some tournaments of 200 sessions: plain above, corrected for luck below."""
    rehearsal = Rehearsal.of(VON_NEUMANN_POKER, plain_field(), sessions=200)
    rankings = [rehearsal.tournament(number) for number in range(tournaments)]
    scores = [(line.name, line.score, line.adjusted_score or 0.0) for one in rankings for line in one.entrants]
    names = [line.name for line in rankings[0].entrants]
    low = min(min(plain, adjusted) for _, plain, adjusted in scores)
    high = max(max(plain, adjusted) for _, plain, adjusted in scores)

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - 20)

    step = (_HEIGHT - _BOTTOM - 10) / len(names)
    content = []
    for place, name in enumerate(names):
        y = 20 + place * step
        content.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}"/>')
        content.append(f'<text x="12" y="{y + 4:.1f}">{name}</text>')
        for _, plain, adjusted in (score for score in scores if score[0] == name):
            content.append(f'<circle cx="{x(plain):.1f}" cy="{y - 5:.1f}" r="3" fill="#c65" fill-opacity="0.7"/>')
            content.append(f'<circle cx="{x(adjusted):.1f}" cy="{y + 5:.1f}" r="3" fill="#36a" fill-opacity="0.7"/>')
    legend = f"points; above each line the score in {tournaments} tournaments, below it the one without luck"
    content.append(f'<text x="{_LEFT}" y="{_HEIGHT - 12}">{legend}</text>')
    return _picture(content)


def sequence(most: int = 64) -> str:
    """Half the width, in standard errors, of an interval for one look and for several looks."""
    top = 8.0

    def point(count: int, value: float) -> str:
        x = _LEFT + (count - 4) / (most - 4) * (_WIDTH - _LEFT - 20)
        return f"{x:.1f},{_HEIGHT - _BOTTOM - min(value, top) / top * (_HEIGHT - _BOTTOM - 20):.1f}"

    counts = range(4, most + 1)
    content = []
    for value in range(0, int(top) + 1, 2):
        y = point(4, value).split(",")[1]
        content.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y}" y2="{y}"/><text x="40" y="{y}">{value}</text>')
    seen = looks(4, most)
    for colour, places, values in (
        ("#c65", counts, [quantile(0.975, count - 1) for count in counts]),
        ("#36a", seen, reaches(seen, 0.05)),
    ):
        points = " ".join(point(count, value) for count, value in zip(places, values))
        content.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    legend = f"standard errors, by 4 to {most} replicas: one look (below), and all looks of a run (above), both 95%"
    content.append(f'<text x="{_LEFT}" y="{_HEIGHT - 12}">{legend}</text>')
    return _picture(content)


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "ranking_scatter.svg").write_text(scatter())
    (folder / "ranking_sequence.svg").write_text(sequence())


if __name__ == "__main__":
    main()
