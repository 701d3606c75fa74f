"""Live queries without an event loop of the program's own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from .async_live import AsyncLive, log_error, log_failure
from .connection import ClientClosed, StreamConnection
from .errors import HoldfastError
from .query_state import LiveState

T = TypeVar("T")


class LoopThread:
    """An event loop on a thread of its own. Thread-safe."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="holdfast-live", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
            self._loop.run_until_complete(asyncio.wait([task]))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the loop, waits for it, and returns its result.

        Raises `ClientClosed` after `stop`.
        """
        # The loop's end cancels a coroutine that was handed over before. A later one would wait.
        with self._lock:
            if self._is_stopped:
                coroutine.close()
                raise ClientClosed
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise ClientClosed from None
        except BaseException:
            # The coroutine must not continue after an interrupt.
            future.cancel()
            raise

    def stop(self) -> None:
        """Ends the loop and its thread."""
        with self._lock:
            self._is_stopped = True
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


class Live:
    """A live query: an iterator of its states.

    The first state is the query's result. Each further one is the result after a change. A live
    query continues through restarts of the service and lost connections without a word. It has one
    reader: iterate over it, or call `subscribe`.

    Iteration raises `HoldfastError` as `AsyncLive` does. Close it, or use it in `with`. Another
    thread may close it, which ends the iteration.
    """

    def __init__(self, loop: LoopThread, connection: StreamConnection, body: Mapping[str, Any]):
        self._loop = loop
        self._live = loop.call(_follow(connection, body))
        self._reader: threading.Thread | None = None

    @property
    def is_current(self) -> bool:
        """Whether the connection is open, and the objects received are the query's result."""
        return self._live.is_current

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> LiveState:
        return self.next()

    def next(self, timeout: float | None = None) -> LiveState:
        """Returns the next state.

        `timeout` is in seconds. Raises `HoldfastError`, `TimeoutError`, and `StopIteration` after
        the live query was closed.
        """
        try:
            return self._loop.call(self._live.next(timeout))
        except (StopAsyncIteration, ClientClosed):
            raise StopIteration from None

    def subscribe(
        self,
        on_state: Callable[[LiveState], None],
        on_error: Callable[[HoldfastError], None] | None = None,
    ) -> Self:
        """Calls a function for each state, on a thread of its own, until the live query is closed.

        `on_error` is called for each error that iteration would raise. Without it, errors are
        logged. If a function raises, the exception is logged and the next state follows.
        """
        if self._reader is not None:
            raise RuntimeError("The live query has a subscriber.")
        self._reader = threading.Thread(
            target=self._call, args=(on_state, on_error), name="holdfast-subscriber", daemon=True
        )
        self._reader.start()
        return self

    def _call(
        self,
        on_state: Callable[[LiveState], None],
        on_error: Callable[[HoldfastError], None] | None,
    ) -> None:
        while True:
            call: Callable[[], None]
            try:
                call = partial(on_state, self.next())
            except StopIteration:
                return
            except HoldfastError as error:
                call = partial(on_error or log_error, error)
            try:
                call()
            except Exception:
                log_failure()

    def close(self) -> None:
        """Ends the live query. A subscriber's function is not called any more afterwards."""
        with contextlib.suppress(ClientClosed):
            self._loop.call(self._live.close())
        reader, self._reader = self._reader, None
        if reader is not None and reader is not threading.current_thread():
            reader.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _follow(connection: StreamConnection, body: Mapping[str, Any]) -> AsyncLive:
    return AsyncLive(connection, body)
