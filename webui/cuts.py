"""Where a row that is no set may be two sets or more that touch: every cut into legal sets, in the order they lie.

The four rule sheets agree on what a set is (`referee.sets`), so a cut depends on none of them.
"""

from __future__ import annotations

from itertools import accumulate

from referee.layout import TileSet
from referee.sets import LEAST, LONGEST_RUN, is_set

MOST = 4
"""So many answers are offered, the fewest parts first."""

Lengths = tuple[int, ...]


def cuts(row: TileSet, most: int = MOST) -> tuple[Lengths, ...]:
    """How long the parts of a row are in each way to cut it into legal sets; none where it is a set as it lies.

    No two neighbouring parts make a set together: nobody could tell them from one.

    >>> from referee.layout import Layout
    >>> cuts(Layout.parse("r5 r6 r7 k1 k2 k3").sets[0])
    ((3, 3),)
    """
    if is_set(row):
        return ()
    known: dict[tuple[int, int], tuple[Lengths, ...]] = {}

    def after(before: int, start: int) -> tuple[Lengths, ...]:
        """The best ways on from ``start``, where the part before it began at ``before``."""
        if start == len(row):
            return ((),)
        if (before, start) not in known:
            ways = [
                (end - start, *rest)
                for end in range(start + LEAST, min(len(row), start + LONGEST_RUN) + 1)
                if is_set(row[start:end]) and (before == start or not is_set(row[before:end]))
                for rest in after(start, end)
            ]
            known[before, start] = tuple(sorted(ways, key=lambda way: (len(way), way))[:most])
        return known[before, start]

    return after(0, 0)


def parts_of(items: tuple[int, ...], lengths: Lengths) -> tuple[tuple[int, ...], ...]:
    """Items in a row, parted.

    >>> parts_of((7, 8, 9, 4), (3, 1))
    ((7, 8, 9), (4,))
    """
    return tuple(items[end - n : end] for n, end in zip(lengths, accumulate(lengths), strict=True))
