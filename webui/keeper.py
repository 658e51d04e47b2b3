"""The keeper: what is kept besides the events, so that one can look back. The companion tells it what it sees.

Which matches there are, a picture of the table at the end of each turn, and the game as a recorded one. None of it is
waited for, and none of it can stop a game.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.match import turns_done
from vision.camera import Picture
from vision.reading import Reading
from webui.album import Album
from webui.desk import Desk
from webui.looking import Task
from webui.matches import Matches
from webui.play import Play, wall_ms
from webui.recording import Recorder, Rest
from webui.umpire import Umpire


class Keeper:
    """`seen` and `look` are the companion's thread's; any thread may ask the rest."""

    def __init__(self, matches: Matches | None = None, folder: Path | None = None, record: bool = False) -> None:
        """Keeps nothing without `matches` and `folder`; `record` saves each game as a recorded one when it is over."""
        self.matches = matches
        self.desk = Desk()
        self.album = Album(self.desk)
        self.recorder = Recorder(folder, self.desk, record) if folder is not None else None
        self._play: Play | None = None
        self._count = 0
        self._turn = 0
        self._picture: Picture | None = None

    def seen(self, task: Task, reading: Reading, age: float) -> None:
        """A table at rest was read, from a picture `age` seconds old."""
        self._picture = task.frame.picture
        if self.recorder is not None:
            view = task.place.view
            corners = tuple((float(x), float(y)) for x, y in view.corners) if view is not None else None
            self.recorder.seen(Rest(task.frame, task.scene, reading, wall_ms() - int(age * 1000), corners))

    def look(self, umpire: Umpire) -> None:
        """Something may have happened in the match."""
        play = umpire.play
        if self.recorder is not None:
            self.recorder.look(play, umpire.reading)
        if play is not self._play:
            self._play, self._count, self._turn = play, len(play.events), _last_turn(play)
        if len(play.events) == self._count:
            return
        self._count = len(play.events)
        turn = _last_turn(play)
        if turn != self._turn and turn and self.matches is not None and self._picture is not None:
            event = turns_done(play.state)[-1][0]
            self.album.keep(self.matches.beside(play.name), event.id, self._picture)
        self._turn = turn

    def document(self) -> dict[str, Any]:
        """For the pages."""
        if self.recorder is None:
            return {"recording": False, "trouble": "", "games": []}
        document = self.recorder.document()
        return {**document, "trouble": document["trouble"] or self.album.trouble}

    def close(self) -> None:
        """What waits is written."""
        if self.recorder is not None:
            self.recorder.close()
        self.desk.close()


def _last_turn(play: Play) -> int:
    return play.state.last.number if play.state.last is not None else 0
