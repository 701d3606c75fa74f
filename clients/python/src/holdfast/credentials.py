"""The token that a client sends."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Credentials:
    """The token of a client, and the user that it is known to belong to. Thread-safe."""

    def __init__(self, token: str | None):
        self._lock = threading.Lock()
        self._token = token
        self._user: str | None = None
        self._user_changes = 0
        self._reported: str | None = None
        #: Whether the program is being told that the token was refused.
        self.is_reporting = False
        #: Called after each change, on the thread that made it.
        self.on_change: Callable[[], None] | None = None

    @property
    def token(self) -> str | None:
        """The token; None if requests carry none."""
        return self._token

    @property
    def user_changes(self) -> int:
        """The number of changes after which the token belonged to another user."""
        return self._user_changes

    def set(self, token: str | None, user: str | None = None) -> None:
        """Replaces the token. `user` is None if the user is not known."""
        with self._lock:
            if user != self._user:
                self._user_changes += 1
            self._token, self._user, self._reported = token, user, None
            self.is_reporting = False
        if self.on_change is not None:
            self.on_change()

    def is_first_refusal(self, token: str | None) -> bool:
        """Notes that the service has refused a token.

        Returns whether it is the client's present token, and was not noted before. Then the caller
        reports it to the program, and calls `end_report`.
        """
        with self._lock:
            if token is None or token != self._token or token == self._reported:
                return False
            self._reported, self.is_reporting = token, True
            return True

    def end_report(self) -> None:
        """Notes that the program has been told."""
        self.is_reporting = False
