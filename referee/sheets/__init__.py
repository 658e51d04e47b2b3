"""Rule sheets: the rules as data, one profile a sheet, each value with its source (RULES.md, "Profiles").

>>> load("classic").initial_meld, with_options(load("classic"), ["twenty-point-opening"]).initial_meld
(30, 20)
"""

from referee.sheets.load import NAMES, SheetError, from_mapping, load, load_file
from referee.sheets.options import OPTIONS, Option, chosen, with_options
from referee.sheets.rules import (
    RULES,
    BlockedPoints,
    BlockedTie,
    BlockedWinner,
    Direction,
    DrawJoker,
    FreedBy,
    JokerMeld,
    JokerSets,
    MatchLength,
    OpeningTable,
    PoolEmpty,
    Ranking,
    Sheet,
    ShortPool,
)

__all__ = [
    "NAMES",
    "OPTIONS",
    "RULES",
    "BlockedPoints",
    "BlockedTie",
    "BlockedWinner",
    "Direction",
    "DrawJoker",
    "FreedBy",
    "JokerMeld",
    "JokerSets",
    "MatchLength",
    "OpeningTable",
    "Option",
    "PoolEmpty",
    "Ranking",
    "Sheet",
    "SheetError",
    "ShortPool",
    "chosen",
    "from_mapping",
    "load",
    "load_file",
    "with_options",
]
