"""Answers of Python bots, and what these bots receive."""

from __future__ import annotations

from tests.worker.support import A, B, Question, ask, ask_each, view
from tournament.contests.von_neumann_poker.rules import Settings

MOST, LEAST = 2**63 - 1, -(2**63)

# An expression, and the whole number that it stands for.
NUMBERS: dict[str, int] = {
    "17": 17,
    "-2.99": -2,
    "-0.0": 0,
    "1e300": MOST,
    "float('inf')": MOST,
    "float('nan')": 0,
    "2**63": MOST,
    "-10**400": LEAST,
    "__import__('fractions').Fraction(10**400, 3)": MOST,
    "__import__('decimal').Decimal('NaN')": 0,
    "type('N', (), {'__index__': lambda self: 9})()": 9,
    "type('N', (), {'__float__': lambda self: 9.5})()": 9,
    "type('N', (float,), {})(8.9)": 8,
}
# An expression, and words of the fault that it is.
FAULTS: dict[str, str] = {
    "None": "returned None (a path without return?), expected a number",
    "'20'": "returned a str, expected a number",
    "type('N', (), {'__float__': lambda self: [].pop()})()": "IndexError: pop from empty list",
    "type('N', (), {'__index__': lambda self: 'x'})()": "returned a N, expected a number",
    "1 / 0": "ZeroDivisionError: division by zero (line 4 in a)",
    "__import__('sys').exit(3)": "SystemExit: 3",
    "a(bot)": "RecursionError",
    "exec('raise KeyboardInterrupt')": "KeyboardInterrupt",
    'exec(\'raise type("Shy", (Exception,), {"__str__": lambda self: 1 / 0})\')': "Shy (line",
    "exec('raise ValueError(\"long \" * 10**6)')": "ValueError: long long",
}


def answering(expression: str) -> str:
    return f"import math\nnp = math\n\ndef a(bot): return {expression}\ndef b(bot, bet): return {expression}\n"


def test_answer_of_any_number_type_is_converted() -> None:
    answered = ask_each({f"n{n}.py": answering(expression) for n, expression in enumerate(NUMBERS)})
    found = {text: (answered[f"n{n}"].answers, answered[f"n{n}"].what) for n, text in enumerate(NUMBERS)}
    assert found == {text: ([expected, expected], []) for text, expected in NUMBERS.items()}


def test_answer_that_is_no_number_is_a_fault() -> None:
    answered = ask_each({f"n{n}.py": answering(expression) for n, expression in enumerate(FAULTS)}, [A])
    for number, (expression, words) in enumerate(FAULTS.items()):
        (fault,) = answered[f"n{number}"].faults
        assert words in fault.message and len(fault.message) <= 400, expression
        assert (fault.decision, fault.seat, fault.game) == ("a", 0, 0)
        assert answered[f"n{number}"].answers == [0]


def test_bot_receives_view_and_keeps_f() -> None:
    """Answers are one field after another. Like a C bot, it has a list f of zeros."""
    source = """
        def a(bot):
            bot.f[0] += 1
            if bot.f[0] == 1:
                assert bot.f == [1] + 49 * [0]
                assert repr(bot) == "Bot(card=0.25, opponents_previous_card=-1.0, money=10, opponents_money=190)", bot
            names = ["card", "opponents_previous_card", "money", "opponents_money"]
            return 1000 * getattr(bot, names[bot.f[0] - 1])

        def b(bot, bet):
            assert bot.f[0] == 4 and type(bet) is int and type(bot.money) is int and type(bot.card) is float
            return bet
    """
    shown = view(0.25, -1.0, 10, 190)
    questions: list[Question] = [(0, shown)] * 4 + [(1, view(0.25, -1.0, 10, 190, bet)) for bet in (50, 1)]
    answered = ask(source, questions)
    assert not answered.faults
    assert answered.answers == [250, -1000, 10_000, 190_000, 50, 1]


def test_fault_ends_memory_of_bot_but_not_leg() -> None:
    source = """
        import random
        count = 0
        first = random.getrandbits(20)

        def a(bot):
            global count
            count += 1
            bot.f[3] += 1
            if count == 3:
                raise RuntimeError(f"enough\\nof this")
            return first * 100 + count * 10 + bot.f[3]

        def b(bot, bet):
            raise ValueError
    """
    answered = ask(source, [A, A, A, A, B, A], Settings(max_faults=2))
    assert answered.what == ["RuntimeError: enough (line 11 in a)", "ValueError (line 15 in b)"]
    assert [number % 100 for number in answered.answers] == [11, 22, 0, 11, 0, 11]
    starts = [number // 100 for number in answered.answers]
    assert starts[0] == starts[1] and len({starts[0], starts[3], starts[5]}) == 3  # another chance each time


def test_functions_of_every_form_are_found() -> None:
    bodies = {
        "partials": "from functools import partial\na = partial(lambda x, bot: x, 1)\nb = partial(lambda x, *_: x, 2)",
        "objects": "class F:\n  x = 1\n  def __call__(self, *_): return self.x\na, b = F(), F()\nb.x = 2",
        "inherits": "class Base:\n  @staticmethod\n  def a(bot): return 1\n"
        "class Own(Base):\n  @classmethod\n  def b(cls, bot, bet): return 2",
        "guarded": "from __future__ import annotations\ndef a(bot: Bot) -> int: return 1\ndef b(bot, bet): return 2\n"
        "if __name__ == '__main__': raise SystemExit",
    }
    answered = ask_each({f"{name}.py": source for name, source in bodies.items()})
    assert {name: (each.answers, each.what) for name, each in answered.items()} == dict.fromkeys(bodies, ([1, 2], []))
