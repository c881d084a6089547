"""An environment as an agent-environment cycle of PettingZoo (J. K. Terry et al., "PettingZoo", NeurIPS 2021).

Raises:
    InputError: PettingZoo or Gymnasium isn't installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.kernel.chance import Rng
from engine.rules.decisions import LEGAL_ACTIONS
from tournament.decisions.drawn_values import drawn_value
from tournament.decisions.value_types import ValueType
from tournament.errors import InputError
from tournament.training.values import Features, answer_range

try:
    import gymnasium
    from pettingzoo import AECEnv
except ImportError as missing:
    raise InputError(f"{missing}; install it with: pip install 'tournament[pettingzoo]'") from None

if TYPE_CHECKING:
    from tournament.training.environment import Environment, Turn

# Maximum number of integers of an answer that has a mask.
_LARGEST = 1 << 16


class AnswerSpace(gymnasium.Space[Any]):
    """The answers of the pending decision, in a contest in which some answers aren't integers or have large ranges.

    Without a pending decision they are those of the contest's first one.

    Args:
        environment: Environment whose turn is followed.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        super().__init__()

    @property
    def is_np_flattenable(self) -> bool:
        """False, because answers can have parts."""
        return False

    def _kind(self) -> ValueType:
        """Return the type of the pending decision's answers, or of the first decision's if none is pending."""
        turn, questions = self._environment.turn, self._environment.table.contest.interface.questions
        if turn and turn.narrowed:
            return turn.narrowed
        answer: ValueType = questions[turn.kind if turn else 0].answer
        return answer

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random answer of the type of the pending decision's. A legal action is drawn from those of the turn.

        Args:
            mask: Ignored.
            probability: Ignored.
        """
        turn = self._environment.turn
        if turn and LEGAL_ACTIONS in turn.observation:
            legal = turn.observation[LEGAL_ACTIONS]
            return legal[int(self.np_random.integers(len(legal)))]
        return drawn_value(self._kind(), Rng(self.np_random.bytes(32)))

    def contains(self, x: Any) -> bool:
        """Return whether an answer has the type of the pending decision's answers. It might still be illegal."""
        return self._kind().shape.takes(x)


class TournamentAEC(AECEnv):  # type: ignore[misc]  # it has no types
    """An environment of PettingZoo whose agents are the open seats, "seat_0" and so on.

    Rewards are the points of a session, at its end, and 0 before. An observation is a vector of the numbers that the
    agent saw last, in the order of `Features.names`. Before the agent's first turn all numbers are 0.

    If all answers are integers, in ranges of at most 65,536, the vector is part of a dictionary. A mask of the legal
    answers is then its `action_mask`, in which index 0 is the lowest answer of any decision. For each agent, `infos`
    contains its pending turn as `turn`, and the reason why its last answer was illegal as `illegal`, if it was.

    Args:
        environment: Environment to play, which shares its sessions.
    """

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        table = environment.table
        self.metadata = {"name": table.contest.name, "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self._environment, self._features = environment, Features(table.contest)
        self.possible_agents = [f"seat_{seat}" for seat in environment.seats]
        self.agents: list[str] = []
        questions = table.contest.interface.questions
        ranges = [answer_range(question.answer) for question in questions]
        integer_ranges = [one for one in ranges if one is not None]
        size, box = len(self._features.names), gymnasium.spaces.Box
        numbers: gymnasium.Space[Any] = box(-np.inf, np.inf, (size,), np.float64)
        actions: gymnasium.Space[Any] = AnswerSpace(environment)
        self._count, self._first = 0, 0
        few = len(integer_ranges) == len(ranges) and all(len(one) <= _LARGEST for one in integer_ranges)
        self._ranges = integer_ranges if few else []
        if self._ranges:
            self._first = min(one.start for one in integer_ranges)
            self._count = max(one.stop for one in integer_ranges) - self._first
            actions = gymnasium.spaces.Discrete(self._count, start=self._first)
            mask = box(0, 1, (self._count,), np.int8)
            numbers = gymnasium.spaces.Dict({"observation": numbers, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, numbers)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations, which never changes.

        Raises:
            KeyError: There is no such agent.
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's answers, which never changes.

        Raises:
            KeyError: There is no such agent.
        """
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a session.

        Args:
            seed: Seed whose first session begins; None for the next session of the current seed.
            options: Ignored.

        Raises:
            InputError: A bot was disqualified, or this machine can't confine the bots.
            RunError: This machine can't play the bots or use its cache, or the rules failed.
            OSError: Too many files are open.
        """
        turn = self._environment.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seen = {agent: self._nothing() for agent in self.agents}
        self._show_turn(turn)

    def _nothing(self) -> Any:
        """Return the observation of an agent before its first turn: zeros, and a mask that allows every answer."""
        numbers = np.zeros(len(self._features.names))
        if not self._ranges:
            return numbers
        return {"observation": numbers, "action_mask": np.ones(self._count, np.int8)}

    def _show_turn(self, turn: Turn) -> None:
        """Make a turn the pending one, and its seat the selected agent. The agent's `infos` get the turn."""
        self.agent_selection = agent = f"seat_{turn.seat}"
        numbers = self._features.vector(turn.observation)
        self._seen[agent] = {"observation": numbers, "action_mask": self._mask(turn)} if self._ranges else numbers
        self.infos[agent] = self.infos[agent] | {"turn": turn}

    def _mask(self, turn: Turn) -> Any:
        """Return a flag for each answer of the action space, from the lowest: 1 if it is legal, otherwise 0."""
        mask = np.zeros(self._count, np.int8)
        legal = turn.observation.get(LEGAL_ACTIONS, answer_range(turn.narrowed) if turn.narrowed else None)
        legal = self._ranges[turn.kind] if legal is None else legal
        mask[np.asarray(list(legal)) - self._first] = 1
        return mask

    def observe(self, agent: str) -> Any:
        """Return what an agent saw last, or zeros before its first turn of the session. Callers must not change it.

        Raises:
            KeyError: There is no such agent.
        """
        return self._seen[agent]

    def step(self, action: Any) -> None:
        """Answer for the selected agent, or remove it once the session has ended. News are answered, too.

        Args:
            action: The answer; None to remove the agent.

        Raises:
            InputError: A bot was disqualified.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
            ValueError: The session has ended, and the action isn't None. Or the action is a text that isn't an integer,
                although all answers are integers.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        environment = self._environment
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        environment.answer(int(action) if self._ranges else action)
        self.infos[agent] = {"illegal": environment.illegal} if environment.illegal else {}
        if environment.turn is None:
            for one, seat in zip(self.possible_agents, environment.seats):
                self.rewards[one] = environment.points[seat]
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            self._deads_step_first()
            return
        self._show_turn(environment.turn)
        self._accumulate_rewards()

    def render(self) -> None:
        """Do nothing: environments have no pictures."""

    def close(self) -> None:
        """End the opponents' processes, as `close` of the environment does."""
        self._environment.close()
