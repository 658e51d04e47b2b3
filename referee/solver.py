"""Whole-number programmes, solved exactly: branch and bound over the linear programmes of HiGHS.

The programmes of `referee.formulation` have 100 to 300 columns and a linear bound that is nearly always the
optimum, so a few dozen warm-started linear programmes find and prove it. Measured on mid-game positions
(``make bench``): 3-5 ms against 10-18 ms for HiGHS' own whole-number solver on the same programme, whose
set-up alone takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import highspy

EPSILON = 1e-6
MOST_NODES = 20_000


Bounds = dict[int, tuple[int, int]]
"""Columns whose bounds a node of the search has changed."""


class SolverError(RuntimeError):
    """The linear solver gave no answer; never taken for "no solution"."""


@dataclass(slots=True)
class Programme:
    """Maximise a whole-number objective over whole-number columns, under rows of whole numbers.

    Filled by `row` and `column`, which return the index of what they add; read by `maximise`.
    """

    cost: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    entries: list[list[tuple[int, int]]] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)
    first: list[Sequence[int]] = field(default_factory=list)
    """Groups of columns on which to branch before all others while one of the group is fractional."""

    def row(self, lower: float | None, upper: float | None) -> int:
        """A new row between two bounds; None for none."""
        self.row_lower.append(-highspy.kHighsInf if lower is None else lower)
        self.row_upper.append(highspy.kHighsInf if upper is None else upper)
        return len(self.row_lower) - 1

    def column(self, upper: int, entries: Iterable[tuple[int, int]], cost: int = 0) -> int:
        """A new column from 0 to ``upper``; ``entries`` are pairs (row, coefficient), a row at most once."""
        self.entries.append([*entries])
        self.cost.append(cost)
        self.upper.append(upper)
        return len(self.cost) - 1


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best columns found, None if there are none; ``proven`` if nothing is better; ``nodes`` looked at.
    """

    columns: tuple[int, ...] | None
    objective: int
    proven: bool
    nodes: int


class _Quiet(highspy.Highs):
    """HiGHS that prints nothing: the base class turns its callbacks on when made, and so prints its name."""

    def enableCallbacks(self) -> None:  # noqa: N802 (the base class's name)
        self.setOptionValue("output_flag", False)


def maximise(
    programme: Programme,
    accept: Callable[[tuple[int, ...]], bool] = lambda columns: True,
    enough: int | None = None,
    above: int = -1,
    most_nodes: int = MOST_NODES,
    decisive: Callable[[tuple[int, ...]], Sequence[int]] | None = None,
) -> Optimum:
    """The best whole-number solution that ``accept`` takes, with the proof that there is none better.

    Depth first, the nearer side of the most fractional column first. A whole-number solution that ``accept``
    refuses is excluded by branching on its columns, so the search stays complete.

    Args:
        programme: what to solve.
        accept: asked once for each whole-number solution that would be the best so far.
        enough: stop at a solution with this objective; ``proven`` then only says that nothing cut it short.
        above: only solutions with a higher objective are looked for.
        most_nodes: give up after so many linear programmes; the best so far is then not ``proven``.
        decisive: for a refused solution, columns such that any solution equal in them is refused as well; all
            columns if not given.

    Raises:
        SolverError: if the linear solver fails.
    """
    if not programme.cost:
        empty = all(low <= 0 <= high for low, high in zip(programme.row_lower, programme.row_upper, strict=True))
        return Optimum(() if empty and above < 0 else None, max(above, 0), True, 0)
    highs = _loaded(programme)
    best: tuple[int, ...] | None = None
    objective = above
    base = [(0, upper) for upper in programme.upper]
    changed: Bounds = {}
    stack: list[Bounds] = [{}]
    nodes = 0
    while stack:
        if nodes == most_nodes:
            return Optimum(best, objective, False, nodes)
        bounds = stack.pop()
        for column in [c for c in changed if c not in bounds]:
            highs.changeColBounds(column, *base[column])
        for column, pair in bounds.items():
            if changed.get(column) != pair:
                highs.changeColBounds(column, *pair)
        changed = bounds
        nodes += 1
        solved = _solve(highs)
        if solved is None:
            continue
        bound, values = solved
        if int(bound + EPSILON) <= objective:
            continue
        split = _split(values, programme.first)
        if split is None:
            columns = tuple(map(round, values))
            if accept(columns):
                best, objective = columns, round(bound)
                if enough is not None and objective >= enough:
                    return Optimum(best, objective, True, nodes)
                continue
            stack += _without(columns, bounds, base, decisive(columns) if decisive else range(len(columns)))
            continue
        low, high = bounds.get(split, base[split])
        floor = int(values[split])
        down, up = {**bounds, split: (low, floor)}, {**bounds, split: (floor + 1, high)}
        stack += [down, up] if values[split] - floor >= 0.5 else [up, down]
    return Optimum(best, objective, True, nodes)


def _loaded(programme: Programme) -> highspy.Highs:
    highs = _Quiet()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("presolve", "off"), ("solver", "simplex")):
        highs.setOptionValue(option, value)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(programme.cost), len(programme.row_lower)
    lp.col_cost_ = [-float(cost) for cost in programme.cost]
    lp.col_lower_ = [0.0] * lp.num_col_
    lp.col_upper_ = [float(upper) for upper in programme.upper]
    lp.row_lower_, lp.row_upper_ = programme.row_lower, programme.row_upper
    flat = [pair for entries in programme.entries for pair in entries]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = [0, *accumulate(map(len, programme.entries))]
    lp.a_matrix_.index_ = [row for row, _ in flat]
    lp.a_matrix_.value_ = [float(coefficient) for _, coefficient in flat]
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise SolverError("the linear solver refused the programme")
    return highs


def _solve(highs: highspy.Highs) -> tuple[float, list[float]] | None:
    """The linear optimum and its columns, None if there is none. Raises `SolverError`."""
    highs.run()
    status = highs.getModelStatus()
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
        # A basis gone stale in the warm start: once more from nothing.
        highs.clearSolver()
        highs.run()
        status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"the linear solver stopped: {highs.modelStatusToString(status)}")
    return -highs.getInfo().objective_function_value, highs.getSolution().col_value


def _split(values: list[float], first: Sequence[Sequence[int]]) -> int | None:
    """The most fractional column of the first group that has any, then of all; None if all are whole."""
    for group in (*first, range(len(values))):
        worst, split = EPSILON, None
        for column in group:
            value = values[column]
            off = abs(value - round(value))
            if off > worst:
                worst, split = off, column
        if split is not None:
            return split
    return None


def _without(
    columns: tuple[int, ...], bounds: Bounds, base: Sequence[tuple[int, int]], decisive: Sequence[int]
) -> list[Bounds]:
    """Parts of a node that hold all its solutions but those equal in the decisive columns.

    One column after the other is below or above its value, those before it at theirs.
    """
    parts: list[Bounds] = []
    fixed = dict(bounds)
    for column in decisive:
        value = columns[column]
        low, high = fixed.get(column, base[column])
        parts += [{**fixed, column: part} for part in ((low, value - 1), (value + 1, high)) if part[0] <= part[1]]
        fixed[column] = value, value
    # The last part on the stack is looked at first: the one nearest to the solution that was refused.
    return parts
