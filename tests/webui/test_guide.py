"""The way back as hands are led along it: fewest moves, places in the picture, a list that ticks itself off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.restore import restore
from referee.snapshot import Placed, Quad, Row, Snapshot
from referee.tiles import Tile
from vision.reading import Reading, TileReading
from webui.guide import Guide

WIDE, HIGH, STEP = 10, 14, 11


def at(x: float, y: float) -> Quad:
    return (x, y), (x + WIDE, y), (x + WIDE, y + HIGH), (x, y + HIGH)


def table(*rows: tuple[str, float, float], first_id: int = 0) -> Snapshot:
    """Rows of tiles 10 wide and 14 high, each ``("r3 r4 r5", x, y)``; a row of one tile is loose."""
    sets: list[Row] = []
    loose: list[Placed] = []
    number = first_id
    for text, x0, y in rows:
        row = []
        for k, tile in enumerate(text.split()):
            row.append(Placed(Tile.parse(tile), at(x0 + STEP * k, y), number))
            number += 1
        if len(row) == 1:
            loose += row
        else:
            sets.append(tuple(row))
    return Snapshot(tuple(sets), tuple(loose))


def reading(snapshot: Snapshot, **doubts: tuple[str, str]) -> Reading:
    """The same as a reading; ``_3=("o5", "r5")`` says that tile 3 is read as o5, unsure, perhaps r5."""
    tiles = []
    for row in snapshot.rows:
        for p in row:
            assert p.id is not None and p.quad is not None
            seen, other = doubts.get(f"_{p.id}", (str(p.tile), ""))
            others = ((Tile.parse(other), 0.4),) if other else ()
            tile = Tile.parse(seen)
            tiles.append(TileReading(p.id, tile, 0.5 if tile.readable else 0.0, f"_{p.id}" in doubts, p.quad, others))
    ids = [[p.id for p in row if p.id is not None] for row in snapshot.sets]
    loose = tuple(p.id for p in snapshot.loose if p.id is not None)
    return Reading(1280, 960, None, tuple(tiles), tuple(map(tuple, ids)), loose)


def shown(guide: Guide) -> list[str]:
    """``r5>0`` to be laid into set 0 of the snapshot, ``k9>rack``; a ``✓`` where it is done."""
    lines = []
    for item in guide.items:
        where = "rack" if item.target is None else item.target.set
        lines.append(f"{item.tile}>{where}{' ✓' if item.done else ''}")
    return lines


def corner(quad: Any) -> tuple[float, float]:
    return round(quad[0][0]), round(quad[0][1])


def led(before: Snapshot, *looks: Snapshot) -> Guide:
    guide = Guide(before)
    for look in looks:
        guide.look(look)
    return guide


class TestPlaces:
    def test_a_tile_goes_back_to_its_place(self) -> None:
        (item,) = led(table(("r3 r4 r5 r6", 0, 0)), table(("r3 r4 r5", 0, 0), ("r6", 200, 100))).items
        assert corner(item.lies) == (200, 100) and corner(item.belongs) == (33, 0)

    def test_its_place_goes_with_its_set(self) -> None:
        (item,) = led(table(("r3 r4 r5 r6", 0, 0)), table(("r3 r4 r5", 50, 20), ("r6", 200, 100))).items
        assert corner(item.belongs) == (83, 20)

    def test_its_place_turns_with_its_set(self) -> None:
        def turned(tile: str, y: float, number: int) -> Placed:
            return Placed(Tile.parse(tile), ((314, y), (314, y + 10), (300, y + 10), (300, y)), number)

        column = tuple(turned(t, 100 + STEP * k, k) for k, t in enumerate(("r3", "r4", "r5")))
        now = Snapshot((column,), (Placed(Tile.parse("r6"), at(10, 300), 3),))
        (item,) = led(table(("r3 r4 r5 r6", 0, 0)), now).items
        assert item.belongs is not None
        assert corner(item.belongs) == (314, 133) and corner(item.belongs[2:]) == (300, 143)

    def test_one_tile_left_of_a_set_shows_where_the_others_go(self) -> None:
        now = table(("r3", 100, 50), ("r4", 300, 50), ("r5", 350, 90))
        guide = led(table(("r3 r4 r5", 0, 0)), now)
        assert [corner(i.belongs) for i in guide.items] == [(111, 50), (122, 50)]

    others = (("k3 b3 o3", 0, 60), ("k4 b4 o4", 0, 120), ("k5 b5 o5", 0, 180))

    def test_a_set_is_built_where_it_was_if_nothing_lies_there(self) -> None:
        before = table(("r3 r4 r5", 0, 0), *self.others)
        now = table(("k3 b3 o3 r3", 0, 60), ("k4 b4 o4 r4", 0, 120), ("k5 b5 o5 r5", 0, 180))
        guide = led(before, now)
        assert [corner(i.belongs) for i in guide.items] == [(0, 0), (11, 0), (22, 0)]
        assert [i.onto for i in guide.items] == [None, None, None]

    def test_and_beside_it_if_another_set_lies_there_for_good(self) -> None:
        before = table(("r3 r4 r5", 0, 0), *self.others, ("k9 b9 r9", 300, 300))
        now = table(("k9 b9 r9", 5, 5), ("k3 b3 o3 r3", 0, 60), ("k4 b4 o4 r4", 0, 120), ("k5 b5 o5 r5", 0, 180))
        places = [i.belongs for i in led(before, now).items]
        assert len(places) == 3
        for place in places:
            assert place is not None
            for tile in now.sets[0]:
                assert tile.quad is not None
                across, along = (abs(place[0][k] - tile.quad[0][k]) for k in (0, 1))
                assert across >= 0.8 * WIDE or along >= 0.8 * HIGH, "it would lie on a tile that stays"

    def test_a_nudged_camera_moves_also_the_places_of_sets_that_are_gone(self) -> None:
        before = table(("r3 r4 r5", 0, 0), *self.others)
        now = table(("k3 b3 o3 r3", 6, 64), ("k4 b4 o4 r4", 6, 124), ("k5 b5 o5 r5", 6, 184))
        assert [corner(i.belongs) for i in led(before, now).items] == [(6, 4), (17, 4), (28, 4)]

    def test_what_goes_to_the_rack_and_what_is_missing(self) -> None:
        guide = led(table(("r3 r4 r5", 0, 0)), table(("r3 r4", 0, 0), ("k9", 70, 70)))
        rack, gone = guide.items
        assert corner(rack.lies) == (70, 70) and rack.target is None
        assert gone.lies is None and corner(gone.belongs) == (22, 0) and gone.onto == 0
        assert [str(t) for t in guide.missing] == ["r5"] and not guide.restored

    def test_without_places_there_is_nothing_to_draw(self) -> None:
        guide = led(Snapshot.of([["r3", "r4", "r5"]]), Snapshot.of([["r3", "r4"], ["r5", "k1"]]))
        assert shown(guide) == ["k1>rack", "r5>0"]
        assert all(i.lies is None and i.belongs is None for i in guide.items)


class TestTheList:
    before = table(("r3 r4 r5 r6", 0, 0), ("k9 b9 o9", 0, 60))

    @pytest.mark.parametrize("first", ["r6", "o9", "k1"])
    def test_steps_done_in_any_order_are_ticked_off_where_they_stand(self, first: str) -> None:
        now = {"r6": ("r6", 200, 0), "o9": ("o9", 200, 60), "k1": ("k1", 200, 120)}
        start = [("r3 r4 r5", 0, 0), ("k9 b9", 0, 60)]
        guide = led(self.before, table(*start, *now.values()))
        listed = shown(guide)
        assert sorted(listed) == ["k1>rack", "o9>1", "r6>0"] and listed[0] == "k1>rack"
        home = {"r6": ("r3 r4 r5 r6", 0, 0), "o9": ("k9 b9 o9", 0, 60)}
        rows = [home[first] if first in home and r[0] in home[first][0] else r for r in start]
        guide.look(table(*rows, *(v for k, v in now.items() if k != first)))
        assert shown(guide) == [line + " ✓" if line.startswith(first) else line for line in listed]

    def test_what_is_done_stays_listed_until_all_is(self) -> None:
        guide = led(self.before, table(("r3 r4 r5", 0, 0), ("k9 b9", 0, 60), ("r6", 200, 0), ("o9", 200, 60)))
        guide.look(table(("r3 r4 r5 r6", 0, 0), ("k9 b9", 0, 60), ("o9", 200, 60)))
        guide.look(self.before)
        assert all(i.done for i in guide.items) and len(guide.items) == 2 and guide.restored

    def test_a_set_that_went_with_what_is_done_is_not_asked_for(self) -> None:
        before = table(("r3 r4 r5 r6", 0, 0), ("k9 b9 o9", 0, 60), ("k1 k2 k3", 0, 120))
        apart = (("k9 b9", 0, 60), ("k1 k2", 0, 120), ("r3 r4 r5", 0, 0), ("r6 o9 k3", 200, 0))
        guide = Guide(before)
        guide.see(reading(table(*apart)))
        assert [i.onto for i in guide.items] == [2, 0, 1]
        guide.see(reading(table(("k9 b9 o9", 0, 60), ("k1 k2", 0, 120), ("r3 r4 r5 r6", 0, 0), ("k3", 222, 0))))
        assert [i.onto for i in guide.items] == [None, None, 1]
        guide.see(reading(before))
        assert guide.restored

    def test_a_step_undone_is_open_again_in_its_old_line(self) -> None:
        apart = table(("r3 r4 r5", 0, 0), ("k9 b9", 0, 60), ("r6", 200, 0), ("o9", 200, 60))
        guide = led(self.before, apart)
        listed = shown(guide)
        guide.look(self.before)
        guide.look(apart)
        assert shown(guide) == listed

    def test_a_new_mistake_comes_at_the_end(self) -> None:
        guide = led(self.before, table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60), ("r6", 200, 0)))
        guide.look(table(("r3 r4 r5", 0, 0), ("b9 o9", 11, 60), ("r6", 200, 0), ("k9", 300, 60)))
        assert shown(guide) == ["r6>0", "k9>1"]

    def test_a_tile_in_the_hand_is_still_to_be_laid(self) -> None:
        guide = led(self.before, table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60), ("r6", 200, 0)))
        guide.look(table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60)))
        assert shown(guide) == ["r6>0"] and guide.items[0].lies is None and not guide.restored

    def test_a_whole_set_elsewhere_is_restored(self) -> None:
        assert led(self.before, table(("k9 b9 o9", 500, 300), ("r3 r4 r5 r6", 200, 200))).restored

    def test_sets_read_as_one_row_where_nothing_moved_are_as_they_were(self) -> None:
        before = table(("r3 r4 r5", 0, 0), ("r6 r7 r8", 33, 0))
        guide = Guide(before)
        guide.see(reading(table(("r3 r4 r5 r6 r7 r8", 0, 0))))
        assert guide.restored and guide.items == []

    def test_sets_pushed_together_are_not_as_they_were(self) -> None:
        before = table(("r3 r4 r5", 0, 0), ("r6 r7 r8", 200, 0))
        guide = Guide(before)
        guide.see(reading(table(("r3 r4 r5 r6 r7 r8", 0, 0))))
        assert not guide.restored and len(guide.items) == 3

    def test_two_tiles_alike_one_for_the_rack_and_one_for_its_set(self) -> None:
        guide = led(self.before, table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60), ("r6", 40, 0), ("r6", 300, 0)))
        rack, home = guide.items
        assert corner(rack.lies) == (300, 0) and corner(home.lies) == (40, 0), "the nearer one goes home"
        guide.look(table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60), ("r6", 40, 0)))
        assert shown(guide) == ["r6>rack ✓", "r6>0"]

    def test_it_can_all_be_forgotten_by_doing_something_else(self) -> None:
        """Half a set lies in each of two rows: whoever builds on the other half has done it as well."""
        before = table(("r3 r4 r5 r6", 0, 0))
        guide = led(before, table(("r3 r4", 0, 0), ("r5 r6", 200, 0)))
        assert len(guide.items) == 2
        guide.look(table(("r3", 0, 0), ("r4 r5 r6", 189, 0)))
        assert sum(not i.done for i in guide.items) == 1
        guide.look(table(("r3 r4 r5 r6", 178, 0)))
        assert guide.restored and all(i.done for i in guide.items)


class TestDoubt:
    before = table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60))

    def test_a_tile_in_doubt_that_may_be_the_right_one_changes_nothing_but_is_not_restored(self) -> None:
        guide = Guide(self.before)
        guide.see(reading(self.before, _2=("o5", "r5")))
        assert guide.items == [] and guide.missing == ()
        assert guide.doubts == (2,) and not guide.restored

    def test_a_flickering_guess_at_a_tile_for_the_rack_is_one_line(self) -> None:
        guide = Guide(self.before)
        now = table(("r3 r4 r5", 0, 0), ("k9 b9 o9", 0, 60), ("k1", 300, 60))
        for guess in ("k1", "k7", "k1", "?"):
            guide.see(reading(now, _6=(guess, "")))
            assert len(guide.items) <= 1
        assert len(guide.items) == 1

    def test_an_unread_tile_is_asked_about_and_never_restored(self) -> None:
        guide = Guide(self.before)
        guide.see(reading(self.before, _2=("?", "")))
        assert guide.doubts == (2,) and not guide.restored
        assert guide.items == [] and guide.missing == (), "it is most probably the tile that lay there"

    def test_half_a_tile_is_one_that_it_can_be(self) -> None:
        guide = Guide(self.before)
        now = table(("r3 r4", 0, 0), ("k9 b9", 0, 60), ("r5", 300, 0), ("o9", 300, 60))
        guide.see(reading(now, _4=("?5", ""), _5=("?", "")))
        assert sorted(shown(guide)) == ["o9>1", "r5>0"] and guide.missing == ()


@dataclass
class Hands:
    """A table on which tiles are moved one by one; each row lies on a line of its own."""

    rows: list[list[Placed]]

    def snapshot(self) -> Snapshot:
        return Snapshot(tuple(tuple(row) for row in self.rows if row))

    def lay_out(self) -> None:
        """Everything gets a place by its row and its place in the row."""
        for y, row in enumerate(self.rows):
            row[:] = [replace(p, quad=at(STEP * x, 20 * y)) for x, p in enumerate(row)]

    def lift(self, placed: Placed) -> None:
        for row in self.rows:
            row[:] = [p for p in row if p.id != placed.id]


BOX = [Tile.parse(f"{c}{n}") for c in "kbro" for n in range(1, 14)] * 2 + [Tile.JOKER] * 2


@st.composite
def tables(draw: st.DrawFn) -> tuple[Snapshot, Snapshot]:
    """A table of any rows, legal or not, and what a player made of it, with some own tiles laid."""
    indices = draw(st.lists(st.integers(0, len(BOX) - 1), min_size=3, max_size=18, unique=True))
    tiles = [Placed(BOX[i], None, n) for n, i in enumerate(indices)]
    sizes = draw(st.lists(st.integers(2, 5), min_size=1, max_size=8))
    before = Hands([])
    rest = list(tiles)
    for size in sizes:
        if len(rest) >= size:
            before.rows.append([rest.pop() for _ in range(size)])
    before.lay_out()
    lay = [p for row in before.rows for p in row] or [Placed(BOX[0], at(0, 0), 99)]
    if not before.rows:
        before.rows = [lay]
    now = Hands([list(row) for row in before.rows] + [[] for _ in range(3)])
    now.lay_out()
    move = st.tuples(st.sampled_from([*lay, *rest]), st.integers(0, len(now.rows) - 1), st.integers(0, 9))
    for placed, row, index in draw(st.lists(move, max_size=9)):
        now.lift(placed)
        now.rows[row].insert(index, placed)
    now.lay_out()
    return before.snapshot(), now.snapshot()


class TestAnyTable:
    @given(tables())
    @settings(max_examples=150, deadline=None)
    def test_no_step_needs_a_tile_that_another_must_bring_first(self, both: tuple[Snapshot, Snapshot]) -> None:
        """Each step takes a tile from where it lies at the start, and what it is laid beside lies there by then."""
        before, now = both
        guide = led(before, now)
        assert guide.way is not None
        assert len(guide.way.steps) == len(restore(before, now).steps) == sum(i.target is not None for i in guide.items)
        there = {target for target, _ in guide.way.stays}
        steps = {s.target: s for s in guide.way.steps}
        for item in guide.items:
            if item.target is not None:
                beside = steps[item.target].beside
                assert beside is None or beside in there
                assert item.tile_id in {p.id for row in now.rows for p in row}
                there.add(item.target)

    @given(tables(), st.randoms(use_true_random=False))
    @settings(max_examples=150, deadline=None)
    def test_done_in_any_order_each_is_one_move_and_the_list_stands_still(
        self, both: tuple[Snapshot, Snapshot], random: Any
    ) -> None:
        before, now = both
        guide = led(before, now)
        lines = [item.id for item in guide.items]
        rows: list[list[Placed]] = [list(row) for row in now.rows]
        while True:
            left = [item for item in guide.items if not item.done]
            if not left:
                break
            item = random.choice(left)
            placed = next(p for row in rows for p in row if p.id == item.tile_id)
            for row in rows:
                row[:] = [p for p in row if p.id != placed.id]
            if item.target is not None:
                lay(rows, before, guide, item, placed)
            done = {i.id for i in guide.items if i.done}
            guide.look(Snapshot(tuple(tuple(row) for row in rows if row)))
            assert [i.id for i in guide.items] == lines, "a line came or went"
            assert {i.id for i in guide.items if i.done} == done | {item.id}
        assert guide.restored


def lay(rows: list[list[Placed]], before: Snapshot, guide: Guide, item: Any, placed: Placed) -> None:
    """Lays a tile into its set: between those of the set that lie, in the snapshot's order."""
    assert guide.way is not None and item.belongs is not None
    placed = replace(placed, quad=item.belongs)
    stays = dict(guide.way.stays)
    there = {}
    for target, _ in stays.items():
        if target.set == item.target.set:
            there[target.index] = _where(rows, guide, target)
    if not there:
        rows.append([placed])
        return
    indices = sorted(there)
    row, forward = rows[there[indices[0]][0]], True
    if len(indices) > 1:
        forward = there[indices[0]][1] < there[indices[-1]][1]
    below = [i for i in indices if i < item.target.index]
    beside, after = (there[below[-1]][1], forward) if below else (there[indices[0]][1], not forward)
    row.insert(beside + after, placed)


def _where(rows: list[list[Placed]], guide: Guide, target: Any) -> tuple[int, int]:
    wanted = guide._places.rows[target.set][target.index].quad
    return next((r, k) for r, row in enumerate(rows) for k, p in enumerate(row) if p.quad == wanted)
