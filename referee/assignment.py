"""The assignment problem: which row of a table serves which wanted set, for the most in all."""

from __future__ import annotations

from collections.abc import Sequence


def assign(weights: Sequence[Sequence[int]]) -> list[int | None]:
    """For each row the column it takes (each at most once), so that the sum of the weights is the largest.

    Args:
        weights: ``weights[row][column]``, whole numbers; a pair of weight 0 or less is never worth making.

    Returns:
        One entry a row: a column, or None where the row takes none.

    The successive shortest paths method with potentials (Kuhn, Munkres; Jonker and Volgenant): rows are
    added one by one, each along the cheapest alternating path. Every row also has a private column of
    weight 0, which stands for "takes none", so the result is the best matching of any size. O(rows² ·
    columns), exact in whole numbers.

    >>> assign([[3, 2], [3, 0]])
    [1, 0]
    """
    height = len(weights)
    width = max((len(row) for row in weights), default=0)
    total = width + height
    infinite = 1 + 2 * sum(max(map(abs, row), default=0) for row in weights)
    u = [0] * (height + 1)
    v = [0] * (total + 1)
    owner = [0] * (total + 1)  # 1-based: the row that holds this column; 0 none
    for row in range(1, height + 1):
        owner[0] = row
        column = 0
        least = [infinite * 4] * (total + 1)
        back = [0] * (total + 1)
        done = [False] * (total + 1)
        while True:
            done[column] = True
            i = owner[column]
            line = weights[i - 1]
            delta, nearest = infinite * 8, 0
            for j in range(1, total + 1):
                if done[j]:
                    continue
                if j <= width:
                    cost = -line[j - 1] if j <= len(line) and line[j - 1] > 0 else infinite
                else:
                    cost = 0 if j == width + i else infinite
                cost -= u[i] + v[j]
                if cost < least[j]:
                    least[j], back[j] = cost, column
                if least[j] < delta:
                    delta, nearest = least[j], j
            for j in range(total + 1):
                if done[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            column = nearest
            if owner[column] == 0:
                break
        while column:
            owner[column] = owner[back[column]]
            column = back[column]
    taken: list[int | None] = [None] * height
    for j in range(1, width + 1):
        if owner[j] and weights[owner[j] - 1][j - 1] > 0:
            taken[owner[j] - 1] = j - 1
    return taken
