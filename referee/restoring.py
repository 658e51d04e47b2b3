"""The documents of `tilekeeper restore` (CONTRACT.md, "JSON"): a table before and now in, the steps out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.documents import DocumentError
from referee.judging import check_keys
from referee.restore import restore
from referee.snapshot import Snapshot


def restore_document(document: Any) -> dict[str, Any]:
    """``before`` and ``now``, each a layout or a reading, to the way back. Raises `DocumentError`."""
    if not isinstance(document, Mapping):
        raise DocumentError("", "an object with before and now")
    check_keys(document, ("before", "now"), ("before", "now"))
    return restore(Snapshot.of(document["before"], "before"), Snapshot.of(document["now"], "now")).document()
