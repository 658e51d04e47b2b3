"""The web application: `create_app` makes one for a companion. It keeps no state of its own."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Flask

from webui.buttons import buttons
from webui.companion import Companion
from webui.guard import LOCAL, guard
from webui.shown import Shown
from webui.table import table

LARGEST_REQUEST = 64 * 1024


def create_app(companion: Companion, hosts: Iterable[str] = LOCAL, code: str | None = None) -> Flask:
    """An application that shows `companion`; `hosts` and `code` as in `webui.guard.guard`."""
    app = Flask("webui", static_folder="static", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["tilekeeper"] = companion
    app.extensions["shown"] = Shown()
    guard(app, hosts, code)
    app.register_blueprint(table)
    app.register_blueprint(buttons)
    return app
