"""Another camera in the middle of a game: the tiles stay themselves, the turn goes on, the place is its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from referee.tiles import Tile
from vision.place import Place

sys.path.insert(0, str(Path(__file__).parent))
from filmed import EDGES, SIZE, Film, Filmed, World

from webui.areas import FileAreas

Watch = Callable[..., Filmed]
RED, NINES, BLUE = ("r3 r4 r5", (300, 200)), ("k9 b9 o9", (560, 400)), ("b1 b2 b3", (250, 500))
ELSEWHERE = (("r3 r4 r5", (600, 120)), ("k9 b9 o9", (130, 300)), ("b1 b2 b3", (600, 560)))
LAID = [["b9", "k9", "o9"], ["r3", "r4", "r5"]]
ALL = sorted([["b1", "b2", "b3"], *LAID])


@pytest.fixture
def watch() -> Iterator[Watch]:
    """A match in whose first turn nothing was laid yet; two sets lie on the table."""
    running: list[Filmed] = []

    def start(**options: object) -> Filmed:
        world = World()
        world.lay(*RED)
        world.lay(*NINES)
        running.append(Filmed(world, **options))  # type: ignore[arg-type]
        running[-1].run(2)
        running[-1].start()
        running[-1].run(0.4)
        return running[-1]

    yield start
    for filmed in running:
        filmed.close()


def another(filmed: Filmed, *rows: tuple[str, tuple[int, int]], name: str = "other", **looks: object) -> Film:
    """A camera that looks at the same table from elsewhere, and sees these rows."""
    world = World(seed=5, **looks)  # type: ignore[arg-type]
    for text, at in rows:
        world.lay(text, at)
    film = Film(world, filmed.clock)
    film.name = name
    return film


def switch(filmed: Filmed, film: Film) -> None:
    filmed.area("switch", film)
    filmed.film = filmed.reader.film = film
    filmed.world = film.world
    filmed.run(2)


def second_turn(filmed: Filmed) -> Filmed:
    """Ben's, which begins with two sets on the table."""
    filmed.press("end")
    filmed.run(1)
    assert filmed.match["turn"]["player"] == "Ben"
    return filmed


def test_the_turn_goes_on_with_the_tiles_as_they_were(watch: Watch) -> None:
    filmed = watch()
    filmed.world.lay(*BLUE)
    filmed.run(2)
    before, scene = filmed.ids(), filmed.live["scene"]
    switch(filmed, another(filmed, *ELSEWHERE))
    assert filmed.ids() == before and filmed.layout() == ALL
    assert filmed.live["scene"] > scene and filmed.live["camera"]["name"] == "other"
    assert filmed.companion.umpire.questions == () and filmed.companion.umpire.tracker.gone == ()
    filmed.press("end")
    filmed.run(1)
    assert filmed.match["turn"]["player"] == "Ben", "three tiles were laid, not nine"


def test_end_pressed_while_it_changes_waits_for_the_new_picture(watch: Watch) -> None:
    filmed = watch()
    filmed.world.lay(*BLUE)
    filmed.world.reach = 320
    filmed.run(1)
    filmed.press("end")
    assert filmed.match["waiting"] == "end"
    switch(filmed, another(filmed, *ELSEWHERE))
    assert filmed.match["turn"]["player"] == "Ben" and filmed.layout() == ALL


def test_what_a_person_has_said_of_a_tile_still_holds(watch: Watch) -> None:
    filmed = watch()
    tile = next(n for n, text in filmed.ids().items() if text == "r4")
    filmed.do(lambda: filmed.companion.umpire.tracker.answer(tile, Tile.parse("o4")))
    switch(filmed, another(filmed, *ELSEWHERE[:2]))
    assert filmed.ids()[tile] == "o4"


def test_a_tile_that_the_new_one_does_not_see_was_taken(watch: Watch) -> None:
    filmed = watch()
    switch(filmed, another(filmed, ("r3 r4 r5", (600, 120)), ("k9 b9", (130, 300))))
    assert [str(gone.tile) for gone in filmed.companion.umpire.tracker.gone] == ["o9"]
    filmed.world.lay("o9", (130 + 2 * 36, 300))
    filmed.run(2)
    assert filmed.companion.umpire.tracker.gone == () and filmed.layout() == LAID


def test_no_place_of_the_old_picture_is_drawn_in_the_new_one(watch: Watch) -> None:
    filmed = second_turn(watch())
    filmed.world.take(*filmed.world.tiles[2:3])
    filmed.run(2)
    filmed.press("how-it-was", show=True)
    switch(filmed, another(filmed, ("r3 r4", (100, 120)), ("k9 b9 o9", (130, 300))))
    restore = filmed.match["restore"]
    assert restore is not None and restore["snapshot"] is not None, "the picture of then is still shown"
    (item,) = restore["items"]
    assert (item["tile"], item["row"], item["belongs"]) == ("r5", ["r3", "r4", "r5"], None)
    assert item["was"] is not None, "in the picture of then"
    start = filmed.companion.umpire.restoring._starts[2]
    assert all(placed.quad is None for row in start.lay.sets for placed in row)


def test_places_are_known_again_as_soon_as_it_sees_the_table_of_the_turns_beginning(watch: Watch) -> None:
    filmed = second_turn(watch())
    switch(filmed, another(filmed, *ELSEWHERE[:2]))
    start = filmed.companion.umpire.restoring._starts[2]
    assert {placed.quad is None for row in start.lay.sets for placed in row} == {False}
    assert start.size == SIZE


def test_its_table_is_proposed_and_no_tile_is_lost_by_that(watch: Watch) -> None:
    filmed = watch()
    before = filmed.ids()
    rows = (("r3 r4 r5", (640, 520)), ("k9 b9 o9", (200, 300)))
    switch(filmed, another(filmed, *rows, edges=True))
    assert filmed.live["place"]["source"] == "proposed"
    assert np.abs(np.array(filmed.live["place"]["corners"]) - np.array(EDGES)).max() < 6
    assert filmed.ids() == before and filmed.companion.umpire.tracker.gone == ()


def test_each_camera_has_its_own_corners_and_gets_them_back(watch: Watch, tmp_path: Path) -> None:
    mine = ((200.0, 100.0), (900.0, 100.0), (900.0, 650.0), (200.0, 650.0))
    filmed = watch(areas=FileAreas(tmp_path))
    first = filmed.film
    filmed.area("set_area", mine, SIZE)
    filmed.run(1)
    switch(filmed, another(filmed, *ELSEWHERE[:2]))
    assert filmed.live["place"]["corners"] is None
    switch(filmed, first)
    assert np.abs(np.array(filmed.live["place"]["corners"]) - np.array(mine)).max() < 1
    assert filmed.live["place"]["source"] == "hand" and filmed.layout() == LAID


def test_a_picture_of_another_size(watch: Watch) -> None:
    filmed = watch()
    switch(filmed, another(filmed, *ELSEWHERE[:2], size=(640, 480)))
    assert filmed.live["picture"]["width"] == 640 and filmed.layout() == LAID
    with pytest.raises(ValueError, match="another picture"):
        filmed.area("set_area", ((0, 0), (900, 0), (900, 700), (0, 700)), SIZE)


def test_a_reading_of_the_old_picture_comes_to_nothing(watch: Watch) -> None:
    filmed = watch()
    old = filmed.film
    film = another(filmed, *ELSEWHERE[:2])
    task = []
    room = filmed.companion._room
    ask, room.ask = room.ask, task.append  # type: ignore[method-assign,assignment]
    filmed.world.lay(*BLUE)
    for _ in range(60):
        filmed.clock.now += 0.2
        filmed.companion.step()
    assert task and filmed.companion.busy
    filmed.area("switch", film)
    room.ask = ask  # type: ignore[method-assign]
    assert filmed.reader.film is old
    ask(task[0])
    while filmed.companion.busy:
        filmed.companion.step()
    assert filmed.companion.umpire.reading is None and filmed.live["phase"] != "read"
    filmed.reader.film = filmed.film = film
    filmed.run(2)
    assert filmed.layout() == LAID


def test_two_names_that_differ_in_signs_only_are_two_places(tmp_path: Path) -> None:
    areas = FileAreas(tmp_path)
    areas.keep("Cam (0)", Place.at(((0, 0), (300, 0), (300, 300), (0, 300)), SIZE))
    assert areas.load("Cam (2)").view is None and areas.load("Cam (0)").view is not None
