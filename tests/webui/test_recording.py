"""The game being played is recorded, saved as a folder, and replays row by row as it was played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from tests.webui.games import SHORT, drawn_game
from vision.camera import Feed
from vision.reading import StoredReader
from webui.companion import Companion
from webui.demo import Autopilot, ShownFrames
from webui.keeper import Keeper
from webui.matches import FileMatches
from webui.play import Play
from webui.recorded import RecordedGame, load_recorded
from webui.recording import Recorder
from webui.replay import replay_game
from webui.umpire import Umpire

NAMES = ["Anna", "Ben"]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> RecordedGame:
    """Pictures of a game and their readings."""
    return drawn_game(SHORT, tmp_path_factory.mktemp("drawn"))


class Table:
    """A companion before which somebody lays tiles and presses buttons."""

    def __init__(self, game: RecordedGame, folder: Path, record: bool = False, most_bytes: int | None = None) -> None:
        self.game, self.folder = game, folder
        self.source = ShownFrames("pictures", game.path(game.frames[0].name))
        self.matches = FileMatches(folder)
        latest = self.matches.latest()
        umpire = Umpire(Play(latest or self.matches.new()), lambda: Play(self.matches.new()))
        self.keeper = Keeper(self.matches, folder, record)
        if most_bytes is not None:
            self.keeper.recorder = Recorder(folder, self.keeper.desk, record, most_bytes)
        reader = StoredReader(game.folder / "frames")
        self.companion = Companion(Feed(self.source), reader, umpire, keeper=self.keeper)
        self.companion.start()

    def part(self, name: str) -> dict[str, Any]:
        return self.companion.hub.state().get(name, {})

    def until(self, true: Callable[[], object]) -> None:
        until(true, said=lambda: f"{self.part('live')} {self.part('match')}")

    def lay(self, frame: str) -> None:
        """Shows a picture and waits until it is read."""
        self.source.show(self.game.path(frame))
        self.until(lambda: self.part("live")["phase"] in ("read", "empty") and self.shown() == frame)

    def shown(self) -> str:
        return (self.part("live")["picture"] or {}).get("name", "")

    def press(self, button: str, **data: Any) -> None:
        turn = (self.part("match").get("turn") or {}).get("number", 0)
        self.companion.press(button, {"turn": turn, **data})
        self.until(lambda: not self.part("match").get("waiting"))

    def start(self) -> None:
        self.press("start", players=NAMES, first="Anna")

    def play_all(self) -> None:
        self.start()
        for row in self.game.rows:
            self.lay(row.frame)
            self.press(row.button)

    def save(self, name: str | None = None) -> Path:
        assert self.keeper.recorder is not None
        return self.keeper.recorder.save(name).result(timeout=20)

    def close(self) -> None:
        self.companion.close()


@pytest.fixture
def sit_down(drawn: RecordedGame, tmp_path: Path) -> Iterator[Callable[..., Table]]:
    tables: list[Table] = []

    def sit(**options: Any) -> Table:
        tables.append(Table(drawn, tmp_path / "matches", **options))
        return tables[-1]

    yield sit
    for table in tables:
        table.close()


def rows_of(folder: Path) -> list[tuple[str, str, str]]:
    return [(row.player, row.button, row.verdict) for row in load_recorded(folder).rows]


def differences(folder: Path) -> list[str]:
    return [line for r in replay_game(load_recorded(folder), StoredReader(folder / "frames")) for line in r.differences]


def test_a_game_is_saved_and_replays_as_it_was_played(sit_down: Callable[..., Table]) -> None:
    table = sit_down()
    table.play_all()
    folder = table.save()
    assert folder.parent == table.folder / "games"
    assert rows_of(folder) == [
        ("Anna", "end", "legal"),
        ("Ben", "end", "opening-too-low+set-too-short"),
        ("Ben", "end", "legal"),
        ("Anna", "draw", ""),
        ("Ben", "end", "legal"),
    ]
    assert differences(folder) == []
    command = [sys.executable, "-m", "webui.cli", "replay", str(folder), "--readings", str(folder / "frames")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_differs_would_be_found(sit_down: Callable[..., Table]) -> None:
    """The saved folder is a test: with another word in it, replay says so."""
    table = sit_down()
    table.play_all()
    folder = table.save()
    text = (folder / "turns.csv").read_text()
    (folder / "turns.csv").write_text(text.replace("opening-too-low+set-too-short", "set-too-short"))
    assert any("verdict" in line for line in differences(folder))


def test_every_button_is_a_row(sit_down: Callable[..., Table]) -> None:
    table = sit_down()
    table.start()
    first, second = table.game.rows[0].frame, table.game.rows[2].frame
    table.lay(first)
    table.press("pause")
    table.press("resume")
    table.press("end")
    table.press("rack", player="Ben", tiles=13)
    table.press("opened", player="Ben", opened=True)
    table.press("undo")
    table.press("redo")
    table.lay(second)
    table.press("end")
    table.press("undo")
    table.press("resume")
    table.press("end")
    table.press("draw")
    table.press("abandon")
    folder = table.save()
    buttons = [button for _, button, _ in rows_of(folder)]
    assert buttons == (
        ["pause", "resume", "end", "rack", "opened", "undo", "redo", "end", "undo", "resume", "end", "draw", "abandon"]
    )
    assert differences(folder) == []


def test_a_tile_that_was_named_is_in_the_record(sit_down: Callable[..., Table], drawn: RecordedGame) -> None:
    """The reader was not sure, somebody said what it is: the replay is answered by the record."""
    table = sit_down()
    frame = drawn.rows[0].frame
    path = (drawn.folder / "frames" / frame).with_suffix(".json")
    kept = path.read_text()
    reading = json.loads(kept)
    tile = next(t for t in reading["tiles"] if t["tile"] == "r12")
    tile |= {"tile": "r13", "unsure": True, "confidence": 0.5, "alternatives": [{"tile": "r12", "confidence": 0.4}]}
    path.write_text(json.dumps(reading))
    try:
        table.start()
        table.lay(frame)
        table.companion.press("end", {"turn": 1})
        table.until(lambda: table.part("match")["questions"])
        (question,) = table.part("match")["questions"]
        table.press("answer", id=question["id"], scene=table.part("live")["scene"], tile="r12")
        folder = table.save()
    finally:
        path.write_text(kept)
    assert rows_of(folder) == [("Anna", "end", "legal")]
    (result,) = replay_game(load_recorded(folder), StoredReader(folder / "frames"))
    assert result.differences == () and result.asked == 1


def test_a_game_to_its_end_with_its_points(sit_down: Callable[..., Table]) -> None:
    table = sit_down()
    table.start()
    table.lay(table.game.rows[0].frame)
    table.press("rack", player="Anna", tiles=3)
    table.press("end")
    table.press("out")
    table.press("count", player="Ben", rack={"points": 61, "tiles": 14})
    folder = table.save()
    assert rows_of(folder)[-2:] == [("Anna", "out", ""), ("Ben", "count", "")]
    assert load_recorded(folder).rows[-1].points == "Anna:61 Ben:-61"
    assert differences(folder) == []


def test_the_next_game_of_the_match_is_another(sit_down: Callable[..., Table]) -> None:
    table = sit_down(record=True)
    table.start()
    table.lay(table.game.rows[0].frame)
    table.press("end")
    table.press("abandon")
    table.press("deal", first="Ben")
    table.press("draw") if not table.part("match").get("waiting") else None
    table.until(lambda: len(table.part("record")["games"]) >= 1)
    table.close()
    saved = sorted((table.folder / "games").iterdir())
    assert [rows_of(folder) for folder in saved] == [[("Anna", "end", "legal"), ("Ben", "abandon", "")]]


def test_it_goes_on_after_a_restart(sit_down: Callable[..., Table]) -> None:
    """The rows go on where they were; the clock was stopped, and stands in the record as a pause."""
    table = sit_down()
    rows = table.game.rows
    table.start()
    table.lay(rows[0].frame)
    table.press("end")
    table.close()
    again = sit_down()
    again.lay(rows[2].frame)
    again.press("resume")
    again.press("end")
    folder = again.save()
    assert [button for _, button, _ in rows_of(folder)] == ["end", "pause", "resume", "end"]
    assert differences(folder) == []


def test_a_journal_that_was_cut_off(sit_down: Callable[..., Table]) -> None:
    """Killed while a line was being written: that line is made again from the events, which are kept."""
    table = sit_down()
    rows = table.game.rows
    table.start()
    table.lay(rows[0].frame)
    table.press("end")
    table.close()
    journal = next((table.folder / "recordings").glob("*/journal.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    again = sit_down()
    again.lay(rows[2].frame)
    again.press("resume")
    again.press("end")
    folder = again.save()
    assert [button for _, button, _ in rows_of(folder)] == ["end", "pause", "resume", "end"]


def test_a_game_whose_program_was_killed_is_saved_at_the_next_start_and_once(sit_down: Callable[..., Table]) -> None:
    table = sit_down(record=True)
    rows = table.game.rows
    table.start()
    for row in rows[:3]:
        table.lay(row.frame)
        table.press(row.button)
    table.close()
    saved = table.folder / "games"
    assert not saved.exists()
    journal = next((table.folder / "recordings").glob("*/journal.jsonl"))
    journal.write_bytes(journal.read_bytes() + b'{"row": {"pla')  # killed in the middle of a line

    again = sit_down(record=True)
    again.until(lambda: saved.exists() and [p for p in saved.iterdir() if not p.name.startswith(".")])
    again.keeper.desk.ask(lambda: None).result(timeout=60)
    (folder,) = saved.iterdir()
    assert [button for _, button, _ in rows_of(folder)] == ["end", "end", "end"] and differences(folder) == []

    again.lay(rows[3].frame)
    again.press("resume")
    again.press("draw")
    again.press("abandon")
    again.close()
    assert list(saved.iterdir()) == [folder], "the same game takes the place of what was saved of it"
    assert [button for _, button, _ in rows_of(folder)] == ["end", "end", "end", "pause", "resume", "draw", "abandon"]
    assert differences(folder) == []

    third = sit_down(record=True)
    third.keeper.desk.ask(lambda: None).result(timeout=60)
    assert list(saved.iterdir()) == [folder], "nothing was played since"


def test_a_full_disk_ends_the_recording_and_not_the_game(sit_down: Callable[..., Table], monkeypatch: Any) -> None:
    table = sit_down()
    rows = table.game.rows
    table.start()
    table.lay(rows[0].frame)
    table.press("end")
    table.until(lambda: table.part("record")["games"])

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webui.journal.write_whole", full)
    monkeypatch.setattr("webui.album.write_whole", full)
    table.lay(rows[1].frame)
    table.press("end")
    table.lay(rows[2].frame)
    table.press("end")
    table.until(lambda: table.part("record")["trouble"])
    assert "no space left" in table.part("record")["trouble"] and not table.part("record")["recording"]
    assert table.part("match")["turn"]["player"] == "Anna" and table.part("match")["clock"]["phase"] == "running"
    monkeypatch.undo()
    folder = table.save()  # what came before is whole
    assert rows_of(folder) == [("Anna", "end", "legal")] and differences(folder) == []


def test_a_save_that_fails_leaves_nothing(sit_down: Callable[..., Table], monkeypatch: Any) -> None:
    table = sit_down()
    table.start()
    table.lay(table.game.rows[0].frame)
    table.press("end")

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webui.journal._write_table", full)
    with pytest.raises(OSError, match="No space"):
        table.save()
    assert list((table.folder / "games").iterdir()) == []
    monkeypatch.undo()
    assert table.save().is_dir() and table.save().name.endswith("(2)")


def test_what_a_press_has_done_is_in_the_record_when_it_is_answered(
    sit_down: Callable[..., Table], monkeypatch: Any
) -> None:
    table = sit_down()
    table.start()
    table.lay(table.game.rows[0].frame)
    look = table.keeper.look

    def late(umpire: Umpire) -> None:
        time.sleep(0.3)
        look(umpire)

    monkeypatch.setattr(table.keeper, "look", late)
    table.press("end")
    assert table.save().is_dir()


def test_pictures_are_bounded(sit_down: Callable[..., Table]) -> None:
    """Those that no row needs go first; where even the others are too many, the recording ends and says so."""
    table = sit_down(most_bytes=900_000)
    frames = [row.frame for row in table.game.rows]
    table.start()
    table.lay(frames[0])
    table.press("end")
    for _ in range(4):
        for frame in (frames[1], frames[2]):
            table.lay(frame)
    table.press("end")
    folder = table.save()
    size = sum(path.stat().st_size for path in (folder / "frames").glob("*.jpg"))
    assert size <= 900_000 and len(rows_of(folder)) == 2
    assert differences(folder) == []


def test_a_turn_has_its_picture(sit_down: Callable[..., Table]) -> None:
    import cv2

    table = sit_down()
    table.play_all()
    table.keeper.desk.ask(lambda: None).result(timeout=10)
    play = table.companion.umpire.play
    pictures = sorted(table.matches.beside(play.name).iterdir())
    ended = [e.id for e in play.events if e.fact.kind in ("table-judged", "draw")]
    assert {path.stem for path in pictures} < set(ended) and len(pictures) == 4  # all turns but the illegal try
    for path in pictures:
        assert path.stat().st_size <= 200_000
        assert cv2.imread(str(path)).shape[1] == 1280


def test_a_slow_disk_delays_no_verdict(sit_down: Callable[..., Table], monkeypatch: Any) -> None:
    table = sit_down()
    monkeypatch.setattr("webui.album.write_whole", lambda *a: time.sleep(30))
    monkeypatch.setattr("webui.journal.write_whole", lambda *a: time.sleep(30))
    begun = time.monotonic()
    table.play_all()
    assert time.monotonic() - begun < 30
    table.keeper.desk._jobs.queue.clear()


def test_the_bundled_game_with_the_real_reader(tmp_path: Path) -> None:
    """Played by itself before the companion, saved, and replayed by the command: exit status 0."""
    from webui.bundled import games_folder
    from webui.commands.serve import load_reader

    game = load_recorded(games_folder() / "first")
    source = ShownFrames("demo", game.path(game.frames[0].name))
    matches = FileMatches(tmp_path)
    umpire = Umpire(Play(matches.new()), lambda: Play(matches.new()))
    keeper = Keeper(matches, tmp_path)
    companion = Companion(Feed(source), load_reader(), umpire, keeper=keeper)
    autopilot = Autopilot(companion, source, game, pace=0.0)
    companion.start()
    autopilot.start()
    try:
        until(lambda: autopilot.games_played, 240)
        assert keeper.recorder is not None
        folder = keeper.recorder.save().result(timeout=20)
    finally:
        autopilot.close()
        companion.close()
    assert [row.verdict for row in load_recorded(folder).rows] == [row.verdict for row in game.rows]
    done = subprocess.run(
        [sys.executable, "-m", "webui.cli", "replay", str(folder), "--json"],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["different"] == 0
