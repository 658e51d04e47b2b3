"""Choosing the camera while the companion runs: which ones there are, and going over to one of them.

Looking for devices and opening one may take long, so neither is waited for: pages learn what came of it as they learn
everything. Until another camera has delivered a picture the one before goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from vision.camera import Camera, CameraError, Link
from vision.sources import EVERY_S
from webui.bounded import within
from webui.choice import A_PHONE, Choice, ChoiceError, Kept, Kind, MemoryKept, devices, is_here, open_choice, stream
from webui.companion import Companion
from webui.words import Words, words

LOOK_S = 4.0
OPEN_S = 20.0
PICTURE_S = 8.0
"""How long looking for devices may take, opening one, and its first picture."""
MOST_AT_ONCE = 4
FAR = "An http address can only be given at the table’s own machine; here it begins with rtsp:// or rtsps://."
NO_LAN = "Other devices are let in only when Tilekeeper is started with --lan."


class Chooser:
    """Any thread may ask it. It publishes the part ``cameras`` of the state.

    Args:
        companion: what looks through the camera.
        kept: where the choice is kept for the next start.
        now: the camera that the companion has already, if any.
        lan: whether a phone can reach this machine.
        opens: how a choice becomes a camera; raises `CameraError`.
        finds: the devices there are.
    """

    def __init__(
        self,
        companion: Companion,
        kept: Kept | None = None,
        now: Choice | None = None,
        lan: bool = False,
        every: float = EVERY_S,
        opens: Callable[[Choice], Camera] | None = None,
        finds: Callable[[], tuple[Choice, ...]] = devices,
    ) -> None:
        self._companion, self._kept, self._lan = companion, kept or MemoryKept(), lan
        self._opens = opens or (lambda choice: open_choice(choice, every))
        self._finds = finds
        self._lock, self._switching = threading.RLock(), threading.Lock()
        self._now, self._opening = now, None if now else self._kept.load()
        self._given = now if now is not None and now.kind is Kind.GIVEN else None
        self._stream: Choice | None = None
        self._note_choice(self._opening)
        self._devices: tuple[Choice, ...] = ()
        self._looking = self._late = self._closed = False
        self._attempt = self._running = 0
        self._trouble: Words | None = None
        self._publish()

    @property
    def awaited(self) -> str:
        """The name of the camera of last time, which is going to be opened; empty where there is none."""
        return self._opening.name if self._opening is not None else ""

    def begin(self) -> None:
        """Looks for devices, and where no camera was given goes on with the one of last time, if it is there."""
        last = self._opening
        self.look(then=(lambda: self._resume(last)) if last is not None else None)

    def close(self) -> None:
        """What is still being opened is closed as soon as it is open."""
        with self._lock:
            self._closed = True
            self._attempt += 1

    def look(self, then: Callable[[], None] | None = None) -> None:
        """Looks for devices again."""
        with self._lock:
            if self._looking or self._closed:
                return
            self._looking = True
            self._publish()
        threading.Thread(target=self._look, args=(then,), name="devices", daemon=True).start()

    def choose(self, name: str) -> None:
        """One of the cameras listed, by its id. Raises `ChoiceError`."""
        with self._lock:
            found = next((choice for choice in self._entries() if choice.id == name), None)
            if found is None:
                raise ChoiceError("no-such-camera", "That camera is not there any more: look again.")
            if found.kind is Kind.PHONE and not self._lan:
                raise ChoiceError("no-lan", NO_LAN)
            self._open(found)

    def choose_address(self, address: str, near: bool = False) -> None:
        """A network camera by its address; `near`: somebody at this machine asks. Raises `ChoiceError`.

        Another device may not give a web address: its server could lead on to what listens here for this machine alone.
        """
        choice = stream(address)
        if not near and choice.source.lower().startswith("http"):
            raise ChoiceError("camera-far", FAR)
        self._open(choice, near)

    # Steps

    def _entries(self) -> tuple[Choice, ...]:
        listed = {choice.id: choice for choice in (self._given, *self._devices, self._stream, A_PHONE) if choice}
        if self._now is not None and self._now.id not in listed:
            listed = {self._now.id: self._now, **listed}
        return tuple(listed.values())

    def _note_choice(self, choice: Choice | None) -> None:
        """What is no device stays in the list once it was chosen."""
        if choice is not None and choice.kind is Kind.GIVEN:
            self._given = choice
        elif choice is not None and choice.kind is Kind.STREAM:
            self._stream = choice

    def _look(self, then: Callable[[], None] | None) -> None:
        try:
            found, late = within(LOOK_S, self._finds), False
        except Exception:  # a driver that hangs, or a system that says no: what was known stays
            found, late = self._devices, True
        with self._lock:
            self._devices, self._late, self._looking = found, late, False
            self._publish()
        if then is not None:
            then()

    def _resume(self, last: Choice) -> None:
        """The camera of last time, as it is found today: another number is the same device."""
        with self._lock:
            if self._opening is not last:
                return  # somebody was quicker
            self._opening, found = None, last
            if last.kind is Kind.DEVICE:
                same = [choice for choice in self._devices if choice.name == last.name]
                if not same:
                    self._say(words("cameras.trouble.missing", name=last.name))
                    return
                found = next((choice for choice in same if choice.source == last.source), same[0])
            if last.kind is Kind.PHONE and not self._lan:
                self._say(words("cameras.trouble.no-lan"))
                return
            self._open(found, near=True)

    def _open(self, choice: Choice, near: bool = True) -> None:
        with self._lock:
            if self._closed or choice == self._opening:
                return
            if choice == self._now and self._companion.camera.link in (Link.OPEN, Link.OPENING, Link.ASLEEP):
                self._attempt += 1  # what was being opened is not wanted any more
                self._opening = self._trouble = None
                self._publish()
                return
            if self._running >= MOST_AT_ONCE:
                raise ChoiceError("busy", "Other cameras are still being opened: wait a little.")
            self._attempt += 1
            self._running += 1
            self._opening, self._trouble = choice, None
            self._publish()
        arguments = (choice, near, self._attempt)
        threading.Thread(target=self._try, args=arguments, name="opening", daemon=True).start()

    def _try(self, choice: Choice, near: bool, attempt: int) -> None:
        try:
            trouble = self._tried(choice, near, attempt)
        finally:
            with self._lock:
                self._running -= 1
        with self._lock:
            if attempt == self._attempt:
                self._opening = None
                self._say(trouble)

    def _tried(self, choice: Choice, near: bool, attempt: int) -> Words | None:
        """Goes over to a camera, unless another was chosen meanwhile; or says why it cannot."""
        try:
            if choice.kind is Kind.STREAM and not near and within(LOOK_S, lambda: is_here(choice.host)):
                return words("cameras.trouble.here")
            camera = within(OPEN_S, lambda: self._opened(choice), late=lambda camera: camera.close())
        except Exception:  # whatever it is that a driver raises
            return words(f"cameras.trouble.{choice.kind.value}", name=choice.name)
        unused = camera
        try:
            with self._switching:
                if attempt != self._attempt:
                    return None
                unused = self._companion.switch(camera)
                with self._lock:
                    self._now = choice
                    self._note_choice(choice)
        except TimeoutError:
            return words("refused.no-answer")
        finally:
            unused.close()
        try:
            self._kept.keep(choice)
        except OSError:
            return words("cameras.trouble.not-kept", name=choice.name)
        return None

    def _opened(self, choice: Choice) -> Camera:
        """A camera that delivers; a phone comes later."""
        camera = self._opens(choice)
        if choice.kind is not Kind.PHONE and camera.newest(timeout=PICTURE_S) is None:
            camera.close()
            raise CameraError(f"no picture from {choice.name}")
        return camera

    def _say(self, trouble: Words | None) -> None:
        self._trouble = trouble
        self._publish()

    def _publish(self) -> None:
        with self._lock:
            now, opening = self._now, self._opening
            self._companion.hub.publish(
                "cameras",
                {
                    "list": [choice.to_page() for choice in self._entries()],
                    "now": now.id if now is not None else None,
                    "opening": opening.to_page() if opening is not None else None,
                    "looking": self._looking,
                    "late": self._late,
                    "trouble": self._trouble.to_json() if self._trouble is not None else None,
                },
            )
