"""The open pages of a site on Redis, and the letters between its processes.

Each process has a key that lives for less than a second unless it is renewed, and a stream of letters.
A process that could not renew its key in time is dead to the others: it takes another id and begins
anew. Scripts check and write at once.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any, Final

from redis.asyncio import Redis, RedisCluster
from redis.exceptions import RedisError

from webagent.json_text import read_json
from webagent_site.broker.page_directory import (
    MOST_PAGES,
    Gone,
    Letter,
    PageRecord,
    Sent,
    TooManyPages,
)
from webagent_site.broker.redis_counts import answer_of, unavailable

_log = logging.getLogger("webagent_site")

LEASE_MS: Final = 700
"""How long a process lives for the others after its last sign of life."""
_ALIVE: Final = "1"
_CLOSED: Final = "0"
"""Values of the key that says how a process is."""
CLOSED_S: Final = 15
"""How long it is known that a process has ended in order: longer than its pages may be away."""
_RENEW_S: Final = 0.2
_BLOCK_MS: Final = 500
"""How long one request for letters waits; less than a client may wait for any answer."""
_BACK_S: Final = 3.0
"""How long pages may take to be known again after Redis has lost them."""
_STUCK_S: Final = 10.0
"""How long the loop of a process may stand still before the others hold it for dead."""
_START_S: Final = 2.0
"""How long a request waits until the others know this process, as after its start."""
_END_S: Final = 2.0
"""How long the tasks of a process that ends may take."""
_AGAIN_S: Final = 0.2
"""Pause before Redis is asked again after an error."""
MOST_LETTERS: Final = 10_000
MOST_BYTES: Final = 64 << 20
"""Limits of the letters that wait for one process."""
_AT_ONCE: Final = 200
"""Letters that are read at a time."""
_KEPT_S: Final = 3_600
"""How long a page is known unless its process puts it again."""
_PUT_AGAIN_S: Final = 1_200
_DEEPEST: Final = 300

PUT: Final = """
-- KEYS: the page of a tab, the pages of its visitor, who has sent calls to the tab, the tools.
-- ARGV: the page, the tab, when it was used, the most pages, seconds that it is kept, the tools.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', tonumber(ARGV[3]) - 10 * tonumber(ARGV[5]))
if not redis.call('ZSCORE', KEYS[2], ARGV[2]) and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then
  return false
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[5])
if ARGV[6] ~= '' then redis.call('SET', KEYS[4], ARGV[6], 'EX', 2 * ARGV[5]) end
return redis.call('SMEMBERS', KEYS[3])
"""

REMOVE: Final = """
-- KEYS: the page of a tab, the pages of its visitor, who has sent calls to the tab.
-- ARGV: the tab, the document and the process of the page to remove, and seconds until it is.
local text = redis.call('GET', KEYS[1])
if text then
  local read, page = pcall(cjson.decode, text)
  if read and page['document'] == ARGV[2] and page['process'] == ARGV[3] then
    if tonumber(ARGV[4]) > 0 then
      redis.call('EXPIRE', KEYS[1], ARGV[4])
    else
      redis.call('DEL', KEYS[1])
      redis.call('ZREM', KEYS[2], ARGV[1])
    end
  end
end
return redis.call('SMEMBERS', KEYS[3])
"""

SEND: Final = """
-- KEYS: the life of the receiver, its letters, their bytes, and who has sent calls to the tab, if this is
-- one. ARGV: the letter, the limits of letters and bytes, the sender, seconds that letters are kept.
if KEYS[4] then
  redis.call('SADD', KEYS[4], ARGV[4])
  redis.call('EXPIRE', KEYS[4], ARGV[5])
end
if redis.call('GET', KEYS[1]) ~= '1' then return 'gone' end
local bytes = tonumber(redis.call('GET', KEYS[3]) or '0')
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) or bytes + #ARGV[1] > tonumber(ARGV[3]) then
  return 'full'
end
redis.call('XADD', KEYS[2], '*', 'letter', ARGV[1])
redis.call('INCRBY', KEYS[3], #ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('EXPIRE', KEYS[3], ARGV[5])
return 'sent'
"""

READ: Final = """
-- KEYS: the letters of this process, their bytes. ARGV: the ids and the bytes of those that it has read.
for at = 2, #ARGV do redis.call('XDEL', KEYS[1], ARGV[at]) end
redis.call('DECRBY', KEYS[2], ARGV[1])
return 1
"""


class RedisDirectory:
    """Pages and letters for all processes that use the same Redis and prefix."""

    def __init__(
        self,
        client: Redis | RedisCluster,
        prefix: str,
        report: Callable[[Exception | None], None],
        make_client: Callable[[], Redis] | None = None,
    ) -> None:
        """Know pages by a server.

        Args:
            client: Of redis-py; its connections are closed by who made it.
            prefix: Begins all keys, and is their hash tag.
            report: Called with each error, and with None for each answer.
            make_client: Returns another client of the same server, for a loop of its own.
        """
        self._make_client = make_client
        self._thread: threading.Thread | None = None
        self.process = secrets.token_hex(8)
        self._client = client
        self._prefix = f"{{{prefix}}}:"
        self._report = report
        self._put = client.register_script(PUT)
        self._remove = client.register_script(REMOVE)
        self._send = client.register_script(SEND)
        self._read = client.register_script(READ)
        self._tasks: list[asyncio.Task[None]] = []
        self._is_open = True
        """Asked in each turn, since a client may lose a cancellation on its way."""
        self._alive = asyncio.Event()
        """Set while the others know that this process lives."""
        self._loop_turned_at = 0.0
        """When the loop of the site has last turned, by `time.monotonic`."""
        self._since = 0.0
        """When `_alive` was last set, by `time.monotonic`."""
        self._back = -_BACK_S
        """When it was restored."""
        self._tools: dict[str, float] = {}
        """When each list of tools was written, by its digest."""

    def start(self, receive: Callable[[Letter], None], restore: Callable[[], None]) -> None:
        """Begin to receive letters."""
        if not self._tasks and self._is_open:
            self._note_turn()
            self._tasks = [asyncio.create_task(self._receive_letters(receive))]
            if self._make_client:
                self._renew_in_thread(restore)
            else:
                home = asyncio.get_running_loop()
                self._tasks.append(
                    asyncio.create_task(self._renew_lease(self._client, home, restore))
                )

    async def put(self, page: PageRecord) -> list[str]:
        """Add or replace the page of a tab."""
        await self._started()
        tools = json.dumps(page.tools, separators=(",", ":"))
        digest = sha256(tools.encode()).hexdigest()[:32]
        now = time.monotonic()
        is_written = now - self._tools.get(digest, -_KEPT_S) < _PUT_AGAIN_S
        record = {**asdict(replace(page, process=self.process)), "tools": digest}
        keys = [
            *(self._key("page", page.tab), self._of_visitor(page.visitor)),
            *(self._key("callers", page.tab), self._key("tools", digest)),
        ]
        text = json.dumps(record, separators=(",", ":"))
        given: list[Any] = [
            text,
            page.tab,
            page.used,
            MOST_PAGES,
            _KEPT_S,
            "" if is_written else tools,
        ]
        found = await self._asked(self._put(keys=keys, args=given))
        if found is None:
            raise TooManyPages
        if not is_written:
            if len(self._tools) > 1_000:
                self._tools.clear()
            self._tools[digest] = now
        return _names(found)

    async def remove(self, page: PageRecord, after_s: int = 0) -> list[str]:
        """Remove a page unless another one has replaced it."""
        keys = [
            *(self._key("page", page.tab), self._of_visitor(page.visitor)),
            self._key("callers", page.tab),
        ]
        given: list[Any] = [page.tab, page.document, page.process, after_s]
        return _names(await self._asked(self._remove(keys=keys, args=given)))

    async def of(self, visitor: str) -> list[PageRecord]:
        """Return the pages of a visitor, the one last used first; those of ended processes last.

        Raises:
            BrokerUnavailable: Redis does not answer, or only just, and pages are not there again.
        """
        await self._started()
        tabs = _names(
            await self._asked(self._client.zrevrange(self._of_visitor(visitor), 0, MOST_PAGES - 1))
        )
        pages = [page for page in await self._pages(tabs) if page.visitor == visitor]
        if not pages and await self._has_lost_pages():
            raise unavailable(TimeoutError("the pages are not back yet"))
        gone = await self.gone({page.process for page in pages})
        return sorted(pages, key=lambda page: page.process in gone)

    async def in_tabs(self, tabs: Iterable[str]) -> list[PageRecord]:
        """Return the pages of tabs."""
        return await self._pages(list(tabs))

    async def _has_lost_pages(self) -> bool:
        """Whether Redis has lost everything, and pages are not there again."""
        if not self._tasks:
            return False
        is_known = await self._asked(self._client.exists(self._key("alive", self.process)))
        return not is_known or time.monotonic() - self._back < _BACK_S

    async def send(self, process: str, letter: Letter, *, tab: str = "") -> Sent:
        """Send a letter to a process."""
        await self._started()
        keys = [self._key(kind, process) for kind in ("alive", "letters", "bytes")]
        if tab:
            keys.append(self._key("callers", tab))
        text = json.dumps(letter, separators=(",", ":"))
        given: list[Any] = [text, MOST_LETTERS, MOST_BYTES, self.process, _KEPT_S]
        found = _text(await self._asked(self._send(keys=keys, args=given)))
        return "sent" if found == "sent" else "full" if found == "full" else "gone"

    async def gone(self, processes: Iterable[str]) -> dict[str, Gone]:
        """Return which of these processes have ended, and how."""
        asked = sorted(set(processes))
        if not asked:
            return {}
        keys = [self._key("alive", each) for each in (*asked, self.process)]
        *found, own = await self._asked(self._client.mget(keys))
        # After a pause of Redis all of them are missing, until each has renewed its life.
        if not own or time.monotonic() - self._since < LEASE_MS / 1000:
            return {}
        lives = {
            each: None if life is None else _text(life)
            for each, life in zip(asked, found, strict=True)
        }
        return {
            each: "dead" if life is None else "closed"
            for each, life in lives.items()
            if life != _ALIVE
        }

    async def close(self) -> None:
        """Receive no more letters; the others learn at once that this process has ended."""
        tasks, self._tasks = self._tasks, []
        self._is_open = False
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_END_S)
        if self._thread:
            await asyncio.to_thread(self._thread.join, _END_S)
        if tasks:
            with suppress(OSError, RedisError):
                await self._client.set(self._key("alive", self.process), _CLOSED, ex=CLOSED_S)
                await self._client.delete(
                    *(self._key(kind, self.process) for kind in ("letters", "bytes"))
                )

    async def _started(self) -> None:
        """Wait until the others know this process.

        Raises:
            BrokerUnavailable: Redis does not answer.
        """
        if self._alive.is_set() or not self._tasks:
            return
        try:
            await asyncio.wait_for(self._alive.wait(), _START_S)
        except TimeoutError:
            raise unavailable(TimeoutError("no answer")) from None

    def _renew_in_thread(self, restore: Callable[[], None]) -> None:
        """Renew the lease of this process in a thread: code of the site may hold up its loop."""
        make_client, home = self._make_client, asyncio.get_running_loop()
        assert make_client

        async def renew() -> None:
            client = make_client()
            try:
                await self._renew_lease(client, home, restore)
            finally:
                await client.aclose()

        self._thread = threading.Thread(target=asyncio.run, args=[renew()], daemon=True)
        self._thread.start()

    async def _renew_lease(
        self,
        client: Redis | RedisCluster,
        home: asyncio.AbstractEventLoop,
        restore: Callable[[], None],
    ) -> None:
        """Renew the lease of this process.

        Args:
            client: Of the loop that runs this.
            home: The loop of the site.
            restore: As in `start`.
        """
        process, is_known, is_back = self.process, False, False
        while self._is_open:
            home.call_soon_threadsafe(self._note_turn)
            key = self._key("alive", process)
            try:
                if not is_known:
                    await client.set(key, _ALIVE, px=LEASE_MS)
                    is_known = True
                    home.call_soon_threadsafe(self._begin, process, restore if is_back else None)
                elif time.monotonic() - self._loop_turned_at < _STUCK_S:
                    is_known = bool(await client.pexpire(key, LEASE_MS))
                    if not is_known:
                        # The others may have ended what this process worked on.
                        _log.warning(
                            "the other processes have held this one for dead - it or Redis stood "
                            "still - it begins anew"
                        )
                        process, is_back = secrets.token_hex(8), True
                        home.call_soon_threadsafe(self._alive.clear)
                        continue
            except (OSError, RedisError) as error:
                home.call_soon_threadsafe(self._report, error)
                await asyncio.sleep(_AGAIN_S)
                continue
            except Exception:
                _log.exception("the lease of this process could not be renewed")
                await asyncio.sleep(_AGAIN_S)
                continue
            await asyncio.sleep(_RENEW_S)

    def _note_turn(self) -> None:
        self._loop_turned_at = time.monotonic()

    def _begin(self, process: str, restore: Callable[[], None] | None) -> None:
        """Go on as a process that the others know."""
        self.process = process
        self._since = time.monotonic()
        self._alive.set()
        if restore:
            self._back = self._since
            self._tools.clear()
            restore()

    async def _receive_letters(self, receive: Callable[[Letter], None]) -> None:
        process, last = self.process, "0"
        while self._is_open:
            if process != self.process:
                process, last = self.process, "0"
            key = self._key("letters", process)
            try:
                found = await self._client.xread({key: last}, count=_AT_ONCE, block=_BLOCK_MS)
                entries = _entries(found)
                if entries and process == self.process:
                    last = entries[-1][0]
                    size = sum(len(text.encode()) for _, text in entries)
                    ids = [entry_id for entry_id, _ in entries]
                    await self._read(keys=[key, self._key("bytes", process)], args=[size, *ids])
            except (OSError, RedisError) as error:
                self._report(error)
                await asyncio.sleep(_AGAIN_S)
                continue
            except Exception:
                _log.exception("the letters to this process could not be read")
                await asyncio.sleep(_AGAIN_S)
                continue
            self._report(None)
            if process != self.process:
                continue
            for _, text in entries:
                _deliver(text, receive)

    async def _pages(self, tabs: list[str]) -> list[PageRecord]:
        if not tabs:
            return []
        texts = await self._asked(self._client.mget([self._key("page", tab) for tab in tabs]))
        found = [
            (tab, record)
            for tab, text in zip(tabs, texts, strict=True)
            if (record := _object(text)) is not None
        ]
        digests = sorted({str(record.get("tools")) for _, record in found})
        lists = (
            await self._asked(self._client.mget([self._key("tools", each) for each in digests]))
            if digests
            else []
        )
        tools = {digest: _tools(text) for digest, text in zip(digests, lists, strict=True)}
        pages = (_page(tab, record, tools[str(record.get("tools"))]) for tab, record in found)
        return [page for page in pages if page is not None]

    async def _asked(self, request: Any) -> Any:
        return await answer_of(request, self._report)

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}{kind}:{name}"

    def _of_visitor(self, visitor: str) -> str:
        """Return the key of a visitor's tabs, which names no account."""
        digest = sha256(visitor.encode("utf-8", "replace")).hexdigest()[:32]
        return self._key("visitor", digest)


def _deliver(text: str, receive: Callable[[Letter], None]) -> None:
    """Pass a letter on. One that cannot be handled ends neither the loop nor the letters after it."""
    if (letter := _object(text)) is None:
        return
    try:
        receive(letter)
    except Exception:
        _log.exception("a letter of another process could not be handled")


def _text(found: Any) -> str:
    """Return a text of Redis; a client that the site has made may not decode it."""
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)


def _names(found: Any) -> list[str]:
    return [_text(each) for each in found] if isinstance(found, list | set) else []


def _entries(found: Any) -> list[tuple[str, str]]:
    """Return id and text of each letter in an answer of Redis; its form depends on the protocol."""
    streams = found.values() if isinstance(found, dict) else [each[1] for each in found or ()]
    entries = []
    for stream in streams:
        # RESP3 has one list more.
        batches = stream if stream and isinstance(stream[0], list) else [stream]
        for entry_id, fields in (entry for batch in batches for entry in batch):
            texts = {_text(name): value for name, value in (fields or {}).items()}
            entries.append((_text(entry_id), _text(texts.get("letter", ""))))
    return entries


def _object(text: Any) -> dict[str, Any] | None:
    """Return the JSON object in a text of Redis; None if it holds none."""
    if text is None:
        return None
    try:
        data = read_json(_text(text), deepest=_DEEPEST)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _tools(text: Any) -> list[dict[str, Any]]:
    data = _object(None if text is None else f'{{"tools":{_text(text)}}}') or {}
    tools = data.get("tools")
    return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []


def _page(tab: str, record: dict[str, Any], tools: list[dict[str, Any]]) -> PageRecord | None:
    """Return a page that another process has written; None if it is not one."""
    names = ("document", "process", "visitor", "url", "title", "version", "state")
    used = record.get("used")
    if record.get("tab") != tab or not isinstance(used, int | float) or isinstance(used, bool):
        return None
    if not all(isinstance(record.get(name), str) for name in names):
        return None
    return PageRecord(
        tab=tab, tools=tools, used=float(used), **{name: record[name] for name in names}
    )
