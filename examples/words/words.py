"""A game of words: each begins with the last letter of the one before, and none comes twice."""

import itertools

from tournament.rules import Choice, Column, Decision, List, Questions, Rules, Session, Text

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_WORDS = 60

SAY = Decision(
    "say",
    "Say a word that begins with the letter",
    observation={
        "letter": Choice(["any", *LETTERS], "the letter that it begins with"),
        "said": List(Text(), description="all words that were said, in order"),
    },
    answer=Text(12, "a word of two small letters or more; another one loses"),
    default="",
)


class Words(Rules):
    name = "words"
    title = "Words"
    description = (
        "In turn each says a word that begins with the last letter of the one before. The first who has none, or says"
        f" one again, loses. After {MOST_WORDS} words it is a draw."
    )
    points_unit = "a point is a session won, less one lost"
    seats = 2
    decisions = (SAY,)
    columns = (Column("words", "uint8", "words said"),)

    def play(self, session: Session) -> Questions:
        self.said: list[str] = []
        letter, points = session.rng.choice(LETTERS[:20]), [0, 0]
        for seat in itertools.islice(itertools.cycle(range(2)), MOST_WORDS):
            word = yield SAY(seat, letter=letter, said=self.said)
            is_word = len(word) > 1 and set(word) <= set(LETTERS)
            if not is_word or word in self.said or word[0] != letter:
                points[seat], points[1 - seat] = -1, 1
                break
            self.said.append(word)
            letter = word[-1]
        session.record(points, words=len(self.said))

    def render(self) -> str:
        return ", ".join(self.said) or "(no word yet)"
