"""The bundled games: recorded games beside the program, some of them scripts only, drawn when they are first needed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import platformdirs

from webui.recorded import RecordedError

SCRIPT, TURNS = "script.toml", "turns.csv"


def games_folder() -> Path:
    """Where the bundled games lie: inside the installed package, or beside it in a checkout."""
    packed = Path(__file__).resolve().parent / "games"
    return packed if packed.is_dir() else Path(__file__).resolve().parents[1] / "datasets" / "games"


def bundled() -> tuple[str, ...]:
    """Their names."""
    return tuple(sorted(p.parent.name for p in games_folder().glob(f"*/{SCRIPT}")))


def game_folder(name: str | Path, told: Callable[[str], None] = lambda text: None) -> Path:
    """The folder of a recorded game, or of a bundled one by its name; one that is a script only is drawn first.

    Args:
        told: is given one line where something has to be drawn, which takes a minute.

    Raises:
        RecordedError: where there is none, or it cannot be drawn or kept.
    """
    folder = Path(name)
    if not folder.exists() and len(folder.parts) == 1 and (games_folder() / folder / SCRIPT).exists():
        folder = games_folder() / folder
    if not folder.exists():
        raise RecordedError(f"no recorded game {str(name)!r}: give a folder, or a name: {', '.join(bundled())}")
    if (folder / TURNS).exists() or not (folder / SCRIPT).exists():
        return folder
    return _drawn(folder, told)


def _drawn(folder: Path, told: Callable[[str], None]) -> Path:
    from vision.render.games import render_game
    from vision.render.scripts import ScriptError, parse_script

    text = (folder / SCRIPT).read_text("utf-8")
    # Another version may draw it otherwise.
    mark = hashlib.sha256(f"{metadata.version('tilekeeper')}\n{text}".encode()).hexdigest()[:12]
    target = cache() / f"{folder.name}-{mark}"
    if (target / TURNS).exists():
        return target
    told(f"{folder.name} is a script: drawing its pictures into {target}")
    working: str | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        working = tempfile.mkdtemp(prefix=f"{folder.name}-", dir=target.parent)
        for _ in render_game(parse_script(text, folder.name), Path(working)):
            pass
        Path(working).replace(target)
    except ScriptError as error:
        raise RecordedError(str(error)) from None
    except OSError as error:
        if (target / TURNS).exists():
            return target  # drawn by another process meanwhile
        reason = (error.strerror or str(error)).lower()
        raise RecordedError(f"cannot draw {folder.name} into {target}: {reason}") from None
    finally:
        if working is not None:
            shutil.rmtree(working, ignore_errors=True)
    return target


def cache() -> Path:
    """Where drawn games are kept; ``TILEKEEPER_CACHE`` says otherwise."""
    return Path(os.environ.get("TILEKEEPER_CACHE") or platformdirs.user_cache_dir("tilekeeper")) / "games"
