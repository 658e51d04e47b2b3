"""The sets that jokers may lie in, listed one by one with the places that hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.formulation import LENGTH, RUNS, SAME
from referee.sets import LEAST, LONGEST_GROUP, Kind


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set with jokers of the table: what its places stand for, which of them hold jokers, which do not."""

    kind: Kind
    places: tuple[int, ...]
    jokers: frozenset[int]
    plain: frozenset[int]

    @property
    def stands(self) -> Counter[int]:
        """What its jokers stand for, as `stand` numbers it."""
        return Counter(stand(self.kind, self.places[i]) for i in self.jokers)


def patterns(
    supply: Sequence[int], lent: int, longest: Sequence[int], anchors: Collection[int] = ()
) -> Iterator[Pattern]:
    """Every set with jokers: one, if a run of at most ``longest[0]`` tiles, two, of ``longest[1]``, and so on;
    runs of any length if one of several jokers stands for one of the ``anchors``.

    Of its other kinds no more than ``lent`` are missing in ``supply`` (52 numbers): jokers may stand in for them. For
    a group one choice of the colours that its jokers are stands for all.
    """
    most = len(longest)
    for same in SAME:
        for size in range(1, LONGEST_GROUP):
            for plain in combinations(same, size):
                if sum([not supply[k] for k in plain]) > lent:
                    continue
                rest = [k for k in same if k not in plain]
                for count in range(max(1, LEAST - size), min(most, LONGEST_GROUP - size) + 1):
                    jokers = frozenset(range(size, size + count))
                    yield Pattern("group", (*plain, *rest[:count]), jokers, frozenset(plain))
    for count in range(LEAST, min(most, LONGEST_GROUP) + 1):
        # Jokers alone are any set.
        yield Pattern("group", SAME[0][:count], frozenset(range(count)), frozenset())
    for run in RUNS:
        for first in run:
            most_tiles = LENGTH if anchors else max(longest)
            for size in range(LEAST, min(most_tiles, run.stop - first) + 1):
                places = tuple(range(first, first + size))
                if sum([not supply[k] for k in places]) > lent + most:
                    break
                for count in range(1, min(most, size - 1) + 1):
                    long = size > longest[count - 1]
                    if long and (count == 1 or not anchors):
                        continue
                    for chosen in combinations(range(size), count):
                        if long and not any(first + i in anchors for i in chosen):
                            continue
                        plain = tuple([k for i, k in enumerate(places) if i not in chosen])
                        if sum([not supply[k] for k in plain]) <= lent:
                            yield Pattern("run", places, frozenset(chosen), frozenset(plain))


def stand(kind: Kind, place: int) -> int:
    """What a joker stands for: a kind in a run, below 0 the number in a group."""
    return place if kind == "run" else -1 - place % LENGTH
