"""Every bundled game through the whole pipeline with the real reader; those that are scripts are drawn first.

    python tests/bench/bench_games.py [NAME…]
"""

from __future__ import annotations

import sys
import time

from machine import machine

from vision.reader import Reader
from webui.bundled import bundled, game_folder
from webui.recorded import load_recorded
from webui.replay import Replay


def main() -> None:
    print(machine())
    print("game        rows  different  asked  right  unsure  wrong     hands put right  read after     took")
    reader = Reader.load()
    for name in sys.argv[1:] or bundled():
        game = load_recorded(game_folder(name, print))
        began, run = time.perf_counter(), Replay(game, reader)
        rows = list(run.rows())
        took, looks = time.perf_counter() - began, run.looks
        different, asked = sum(not r.same for r in rows), sum(r.asked for r in rows)
        print(f"{name:10} {len(rows):5} {different:10} {asked:6} {looks.right:6} {looks.unsure:7} {looks.wrong:6} "
              f"{looks.hands_seen:4} of {looks.hands:<2} {looks.put_right:9} {looks.longest:9.1f} s {took:6.1f} s",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
