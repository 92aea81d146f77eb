"""Ask contextd which context a model should see. Python 3.9 or newer and nothing else: copy this file.

    client = contextd.Client()
    answer = client.context("/home/ada/shop", documents=[{"path": "src/cart.ts", "content": "…"}], render="markdown")
    print(answer["text"])
    for event in client.events():
        if event["type"] == "context-changed": ...
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import Any

_failures = (OSError, http.client.HTTPException, ValueError)


class ContextdError(Exception):
    """No daemon can be asked; the text says why."""


class Problem(ContextdError):
    """What the daemon refused (RFC 9457). `pointer` is the JSON pointer of the first mistake in the request."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self.status: int = problem.get("status", 500)
        self.code: str = problem.get("code", "internal")
        self.detail: str = problem.get("detail") or problem.get("title", "")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.pointer: str | None = self.errors[0]["pointer"] if self.errors else None
        # The detail can be the message of the only mistake.
        said = [(error["pointer"], error["message"]) for error in self.errors]
        places = (pointer if text == self.detail else f"{pointer}: {text}" for pointer, text in said)
        super().__init__("\n  ".join([f"{self.code}: {self.detail}", *places]))


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Client:
    """Finds the daemon, starts it where none runs, and asks it. CONTEXTD_URL and CONTEXTD_TOKEN name another one."""

    def __init__(self, command: str = "contextd") -> None:
        self._command = command
        self._daemon: dict[str, Any] = {}

    def context(self, directory: str, *, grant: bool = False, **fields: Any) -> dict[str, Any]:
        """`POST /v1/context` with `fields`, such as `documents` and `query`: all context of a prompt.

        With `grant` the daemon is allowed to read a directory that it may not read yet. Ask your user before.
        """
        body = {"mountedDirectory": directory, **fields}
        try:
            return self.request("POST", "/v1/context", body)
        except Problem as problem:
            if problem.code != "path_outside_roots" or not grant:
                raise
        self.request("POST", "/v1/roots", {"path": directory})
        return self.request("POST", "/v1/context", body)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """One request; the JSON of its answer."""
        try:
            with self.open(method, path, body) as answer:
                return json.loads(answer.read() or "null")
        except _failures as error:
            raise ContextdError(f"the answer cannot be read: {error!r}") from None

    def events(self) -> Iterator[dict[str, Any]]:
        """What changes, without end: a stream that ends is opened again where it ended. Raises where the first cannot be."""
        last_id, was_open = "", False
        while True:
            try:
                # The daemon says something every 15 seconds.
                with self.open("GET", "/v1/events", headers={"Last-Event-ID": last_id}, timeout=40) as stream:
                    was_open = True
                    for line in stream:
                        name, _, value = line.decode().rstrip().partition(": ")
                        if name == "id":
                            last_id = value
                        elif name == "data":
                            yield json.loads(value)
            except (ContextdError, *_failures) as error:
                if not was_open or getattr(error, "status", None) in (401, 403):
                    raise
            time.sleep(1)

    @contextlib.contextmanager
    def open(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] = {}, timeout: float = 60
    ) -> Iterator[http.client.HTTPResponse]:
        """A good answer, to be read: its headers, and a body that need not be JSON. Sends `headers`, such as `If-Match`.

        Asks once more where the daemon is gone, or another one has its place. Where a connection breaks, it raises OSError or
        http.client.HTTPException, and so does reading the answer.
        """
        sent = {**headers, **({} if body is None else {"Content-Type": "application/json"})}
        for is_last in (False, True):
            daemon = self._find()
            if daemon["token"]:
                sent["Authorization"] = f"Bearer {daemon['token']}"
            with contextlib.closing(_connection(daemon, timeout)) as connection:
                try:
                    connection.connect()
                except OSError as error:
                    if is_last:
                        raise ContextdError(f"the daemon does not answer: {error}") from None
                    self._daemon = {}
                    continue
                connection.request(method, path, None if body is None else json.dumps(body), sent)
                answer = connection.getresponse()
                if answer.status < 400:
                    yield answer
                    return
                problem = json.loads(answer.read())
            if answer.status != 401 or is_last:
                raise Problem(problem)
            self._daemon = {}

    def _find(self) -> dict[str, Any]:
        """Keeps what CONTEXTD_URL names, or what `contextd ensure` says. It keeps no port, which others can take."""
        known = self._daemon  # Another thread may forget it meanwhile.
        if known.get("socket"):
            return known
        url, token = os.environ.get("CONTEXTD_URL"), os.environ.get("CONTEXTD_TOKEN")
        if url:
            return {"socket" if url.startswith("unix:") else "url": url.removeprefix("unix:"), "token": token}
        try:
            run = subprocess.run([self._command, "ensure", "--json"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
            self._daemon = found = json.loads(run.stdout)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", b"").decode().strip()
            raise ContextdError(said or f"{self._command} cannot be run: {error}") from None
        return found


def _connection(daemon: Mapping[str, Any], timeout: float) -> http.client.HTTPConnection:
    if "socket" in daemon:
        return _UnixConnection(daemon["socket"], timeout)
    return http.client.HTTPConnection(daemon["url"].removeprefix("http://").removesuffix("/"), timeout=timeout)
