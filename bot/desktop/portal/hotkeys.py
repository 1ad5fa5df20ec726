"""Hot keys by the desktop's portal for global shortcuts [1]: no window gets them.

The desktop asks the person at the first time. What it answers is a list of the keys that it gives; one that another
program has is in it without a trigger.

[1] XDG Desktop Portal, org.freedesktop.portal.GlobalShortcuts; its triggers: XDG Shortcuts specification.
"""

from __future__ import annotations

import select
import threading
import time
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

from jeepney import HeaderFields
from Xlib import XK

from bot.desktop.hotkeys import PressedKeys
from bot.desktop.keys import keysyms_of
from bot.desktop.portal.bus import Portal
from bot.desktop.protocols import HotKeys
from bot.errors import BotError, ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.keys import Combination
    from bot.desktop.protocols import HotKey, HotKeyOwner

_PORTAL = "GlobalShortcuts"
_APP_IDS = "io.github.minebot.Keys_"
"""How the names begin under which keys are asked for. The keys follow: a desktop remembers one list for each name."""
_MODIFIERS = {"shift": "SHIFT", "ctrl": "CTRL", "alt": "ALT", "cmd": "LOGO"}
_NAMES = {number: name.removeprefix("XK_") for name, number in vars(XK).items() if name.startswith("XK_")}
"""What X11 calls keysyms."""
_MODIFIERS_FROM = 100  # where the numbers of modifiers begin: those of hot keys are below
_DESCRIPTION = "minebot: start, pause or stop"  # what the desktop tells the person of a key
_TURN_S = 0.1  # longest time until the listener notices that play has ended, in seconds


class PortalHotKeys(HotKeys):
    """Hot keys that the desktop gives while this listens; those for play alone while the owner plays.

    Attributes:
        keys: the names of the keys, without modifiers.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._owner = owner
        self._pressed = PressedKeys(keys, owner)
        self.keys = frozenset(one.key for one in self._pressed.combinations)
        pairs = list(zip(keys, self._pressed.combinations, strict=True))
        always, in_play = (
            [one for key, one in pairs if key.is_for_play == is_for_play] for is_for_play in (False, True)
        )
        self._in_play = _Shortcuts(in_play)
        self._shortcuts = _Shortcuts(always), self._in_play
        self._thread = threading.Thread(target=self._hear_keys, name="hears the hot keys", daemon=True)
        self._is_stopping = False

    def start(self) -> None:
        """Ask for the keys, and begin to listen.

        Raises:
            ScreenError: the desktop gives none.
            UsageError: it does not give one of them, as where another program has it.
        """
        with ExitStack() as stack:
            for shortcuts in self._shortcuts:
                stack.callback(shortcuts.unbind)
                shortcuts.bind()  # now, as the desktop may ask the person
            self._settle()
            stack.pop_all()
        self._pressed.begin()
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, and give the keys back."""
        self._is_stopping = True
        if self._thread.is_alive():
            self._thread.join()
        for shortcuts in self._shortcuts:
            shortcuts.unbind()
        self._pressed.end()

    def _settle(self) -> None:
        """Have the keys for play alone while the owner plays."""
        if self._owner.is_running:
            self._in_play.bind()
        else:
            self._in_play.unbind()

    def _hear_keys(self) -> None:
        try:
            while not self._is_stopping:
                bound = [one for one in self._shortcuts if one.is_bound]
                select.select(bound, [], [], _TURN_S)
                for shortcuts in bound:
                    for what, combination in shortcuts.news():
                        self._in_play.bind()  # before play begins
                        self._hear(what, combination)
                self._settle()
        except BotError:
            self._pressed.fail()

    def _hear(self, what: str, combination: Combination) -> None:
        """Take the portal's word on a key; it was pressed with all modifiers that it was asked for with."""
        number = self._pressed.combinations.index(combination)
        modifiers = {modifier: _MODIFIERS_FROM + n for n, modifier in enumerate(sorted(combination.modifiers))}
        if what == "Activated":
            for modifier, its_number in modifiers.items():
                self._pressed.hold(modifier, its_number)
            self._pressed.press(combination.key, number, time.monotonic())
        elif what == "Deactivated":
            for its_number in (*modifiers.values(), number):
                self._pressed.release(its_number)


class _Shortcuts:
    """Keys that are asked for together, under a name of their own.

    Attributes:
        is_bound: whether they are the bot's now.

    Args:
        combinations: the keys.
    """

    def __init__(self, combinations: Sequence[Combination]) -> None:
        self.is_bound = False
        self._combinations = {_trigger(one): one for one in combinations}
        """By the names that the portal has for them. A desktop remembers the key of a name, whatever is asked for."""
        self._stack = ExitStack()

    def bind(self) -> None:
        """Have them, and listen.

        Raises:
            ScreenError, UsageError: as `PortalHotKeys.start`.
        """
        if self.is_bound or not self._combinations:
            return
        with ExitStack() as stack:
            app_id = _APP_IDS + "_".join(self._combinations).replace("+", "_")
            self._portal = stack.enter_context(closing(Portal(app_id)))
            self._heard = stack.enter_context(self._portal.hearing(f"org.freedesktop.portal.{_PORTAL}"))
            self._session = self._portal.open_session(_PORTAL)
            stack.callback(self._portal.close_session, self._session)
            self._ask()
            self._stack = stack.pop_all()
        self.is_bound = True

    def unbind(self) -> None:
        """Give them back."""
        self.is_bound = False
        with suppress(ScreenError):  # the bus is gone, and the keys with it
            self._stack.close()

    def fileno(self) -> int:
        """The number of the connection's socket, for `select`."""
        return self._portal.fileno()

    def news(self) -> Iterator[tuple[str, Combination]]:
        """What was heard since this was asked last: "Activated" or "Deactivated", and of which key.

        Raises:
            ScreenError: the bus is gone.
        """
        while self.is_bound and (message := self._portal.receive(self._heard, 0.0)) is not None:
            if message.body[0] == self._session:
                what = message.header.fields[HeaderFields.member]
                if what in ("Activated", "Deactivated"):
                    yield what, self._combinations[message.body[1]]

    def _ask(self) -> None:
        wanted = [
            (name, {"description": ("s", _DESCRIPTION), "preferred_trigger": ("s", _trigger(one))})
            for name, one in self._combinations.items()
        ]
        # The code of the answer says nothing: GNOME 48 answers 2 where all keys are given.
        _, told = self._portal.answer(_PORTAL, "BindShortcuts", "oa(sa{sv})s", (self._session, wanted, ""))
        if not told.get("shortcuts"):
            told = self._portal.request(_PORTAL, "ListShortcuts", "o", (self._session,))
        given = {name for name, about in told.get("shortcuts", []) if about.get("trigger_description", ("s", ""))[1]}
        for name, one in self._combinations.items():
            if name not in given:
                raise UsageError(
                    f"the desktop does not give minebot the key {_trigger(one)}: another program has it, or you did "
                    "not allow it\nname another by an option, or allow it in the desktop's settings for shortcuts"
                )


def _trigger(combination: Combination) -> str:
    """What the specification calls a combination, such as "CTRL+F10"."""
    key = _NAMES[keysyms_of(combination.key)[0]]
    return "+".join([*(_MODIFIERS[modifier] for modifier in sorted(combination.modifiers)), key])
