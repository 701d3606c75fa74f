"""Client of Holdfast, a self-hosted object database.

`Holdfast` is the client for programs without an event loop, `AsyncHoldfast` the client for
asyncio. Both have the same operations:

    from holdfast import Holdfast

    with Holdfast("http://127.0.0.1:8080") as client:
        tasks = client.objects("Task")
        task = tasks.create({"title": "bread"})
        with tasks.live(filter="done == false") as live:
            for state in live:
                print(list(state.objects.values()))
"""

from .async_client import AsyncHoldfast, AsyncObjects, AsyncQuery
from .async_live import AsyncLive
from .client import Holdfast, Objects, Query
from .errors import Fault, HoldfastError
from .live import Live
from .query_state import Change, LiveState
from .results import Account, OperationResult, Page, Session, TransactionResult
from .retry import RetryPolicy
from .stored import Key, StoredObject

__all__ = [
    "Account",
    "AsyncHoldfast",
    "AsyncLive",
    "AsyncObjects",
    "AsyncQuery",
    "Change",
    "Fault",
    "Holdfast",
    "HoldfastError",
    "Key",
    "Live",
    "LiveState",
    "Objects",
    "OperationResult",
    "Page",
    "Query",
    "RetryPolicy",
    "Session",
    "StoredObject",
    "TransactionResult",
]
