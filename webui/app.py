"""The web application: `create_app` makes one for a companion. It keeps no state of its own."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from webui.buttons import buttons
from webui.cameras import A_SECOND, cameras
from webui.chooser import Chooser
from webui.companion import Companion
from webui.demo import Autopilot
from webui.demo_pages import demo
from webui.ends import ends
from webui.guard import guard, is_local
from webui.history import history
from webui.invite import Door
from webui.invite_pages import invite
from webui.network import Network
from webui.packed import pack
from webui.phone import Pace, phone
from webui.place import place
from webui.shown import Shown
from webui.streams import Places, streams
from webui.table import table

LARGEST_REQUEST = 64 * 1024


def create_app(
    companion: Companion,
    is_ours: Callable[[str], bool] = is_local,
    door: Door | None = None,
    network: Network | None = None,
    autopilot: Autopilot | None = None,
    chooser: Chooser | None = None,
) -> Flask:
    """An application that shows `companion`.

    Args:
        companion: what is shown.
        is_ours: whether a ``Host`` header's name means this machine.
        door: who is let in; None lets in everybody who reaches it.
        network: the addresses that invitations name; needed with a door.
        autopilot: what plays the demo, where this is one.
        chooser: what goes over to another camera; without one it cannot be chosen.
    """
    app = Flask("webui", static_folder="static", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["tilekeeper"] = companion
    app.extensions["shown"] = Shown()
    app.extensions["places"] = Places()
    app.extensions["pace"] = Pace()
    app.extensions["chooser"] = chooser
    app.extensions["camera-pace"] = Pace(A_SECOND)
    app.extensions["autopilot"] = autopilot
    app.extensions["network"] = network or Network()
    guard(app, is_ours, door)
    pack(app)
    for blueprint in (table, buttons, streams, invite, phone, ends, place, history, demo, cameras):
        app.register_blueprint(blueprint)
    return app
