"""Firefox and WebKit, driven as their own remote controls have it, and the encrypted front that they meet Pippin at."""

import http.client
import itertools
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import requests

from server import Pippin, free_port, new_folder
from waiting import PATIENCE_MS, SECONDS, until

MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
# What an element is called in WebDriver's messages (W3C WebDriver section 12.1).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """The few things that a person does. What is looked for is waited for by the browser itself."""

    def go(self, address: str) -> None:
        raise NotImplementedError

    def press(self, name: str) -> None:
        """Presses the link or button that bears these words."""
        raise NotImplementedError

    def heading(self, words: str) -> None:
        """Waits until there is a heading with these words."""
        raise NotImplementedError

    @staticmethod
    def of(name: str) -> str:
        return f"//*[self::a or self::button][contains(., '{name}')]"


class Firefox(Browser):
    """By Marionette: a JSON array after its length, both ways."""

    def __init__(self, stream: socket.socket):
        self.stream = stream.makefile("rwb")
        self.numbers = itertools.count(1)
        self._read()
        self("WebDriver:NewSession", acceptInsecureCerts=True)
        self("WebDriver:SetTimeouts", implicit=PATIENCE_MS, pageLoad=PATIENCE_MS)

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        profile, port = new_folder("firefox-"), free_port()
        (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        with started(["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile], profile):
            with reached(port) as stream:
                yield cls(stream)

    def go(self, address: str) -> None:
        self("WebDriver:Navigate", url=address)

    def press(self, name: str) -> None:
        self("WebDriver:ElementClick", id=self._find(self.of(name)))

    def heading(self, words: str) -> None:
        self._find(f"//h1[contains(., '{words}')]")

    def _find(self, path: str) -> str:
        return self("WebDriver:FindElement", using="xpath", value=path)["value"][ELEMENT]

    def __call__(self, command: str, **parameters: Any) -> Any:
        message = json.dumps([0, next(self.numbers), command, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, result = self._read()
        assert error is None, f"{command} {parameters}: {error}"
        return result

    def _read(self) -> Any:
        digits = b"".join(iter(lambda: self.stream.read(1), b":"))
        return json.loads(self.stream.read(int(digits)))


class WebKit(Browser):
    """By WebDriver (W3C), on a screen that nobody sees."""

    def __init__(self, driver: str):
        options = {"binary": MINI_BROWSER, "args": ["--automation"]}
        wanted = {"acceptInsecureCerts": True, "webkitgtk:browserOptions": options, "timeouts": {"pageLoad": PATIENCE_MS}}
        session = self._ask(f"{driver}/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"{driver}/session/{session['sessionId']}"

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        folder, port = new_folder("webkit-"), free_port()
        with screen(folder) as display:
            with started(["WebKitWebDriver", f"--port={port}"], folder, DISPLAY=display):
                reached(port).close()
                browser = cls(f"http://127.0.0.1:{port}")
                try:
                    yield browser
                finally:
                    requests.delete(browser.session, timeout=SECONDS)

    def go(self, address: str) -> None:
        self._ask(f"{self.session}/url", {"url": address})

    def press(self, name: str) -> None:
        self._ask(f"{self.session}/element/{self._find(self.of(name))}/click", {})

    def heading(self, words: str) -> None:
        self._find(f"//h1[contains(., '{words}')]")

    def _find(self, path: str) -> str:
        # Its own way to wait breaks off when the page goes.
        wanted = {"using": "xpath", "value": path}
        found = until(lambda: self._ask(f"{self.session}/element", wanted, "no such element", "no such frame"), lambda: path)
        return found[ELEMENT]

    @staticmethod
    def _ask(address: str, body: dict, *expected: str) -> Any:
        """The driver's answer; nothing after an error that was to be expected."""
        answer = requests.post(address, json=body, timeout=SECONDS)
        value = answer.json()["value"]
        if answer.status_code != 200 and value["error"] in expected:
            return None
        assert answer.status_code == 200, f"{address}: {answer.text}"
        return value


@contextmanager
def started(command: list[str | Path], folder: Path, **environment: str) -> Iterator[subprocess.Popen]:
    """A process, with what it starts, whose home is a folder of its own."""
    own = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), **environment}
    with (folder / "said").open("ab") as said:
        process = subprocess.Popen(command, env=os.environ | own, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                   start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(SECONDS)


@contextmanager
def screen(folder: Path) -> Iterator[str]:
    """A screen in memory; the server names its number once it takes connections."""
    reader, writer = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-nolisten", "tcp"], pass_fds=[writer],
                          stderr=subprocess.DEVNULL) as process:
        os.close(writer)
        with os.fdopen(reader) as numbers:
            number = numbers.readline().strip()
        try:
            yield f":{number}"
        finally:
            process.terminate()


def reached(port: int) -> socket.socket:
    def connect() -> socket.socket | None:
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), timeout=SECONDS)

    return until(connect)


class Front:
    """Takes connections with TLS for every name of this machine: what is `http` at Pippin is `https` to the browser.

    A browser then sees three sites over https: the app, Pippin, and the Apple simulator.
    """

    def __init__(self, pippin: Pippin):
        front = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                front.pass_on(self)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.inner, folder = pippin.port, new_folder("front-")
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.outer = self.server.server_port
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:apple.localhost,IP:127.0.0.1",
             "-out", folder / "certificate.pem", "-keyout", folder / "key.pem"], check=True, capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)

    @contextmanager
    def running(self) -> Iterator[Self]:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        yield self
        self.server.shutdown()
        self.server.server_close()

    def pass_on(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection("127.0.0.1", self.inner, timeout=SECONDS)
        fields = {name: self._inwards(value) for name, value in request.headers.items() if name != "Accept-Encoding"}
        connection.request(request.command, request.path, body, fields | {"Connection": "close"})
        answer = connection.getresponse()
        content = self._outwards(answer.read().decode("latin-1")).encode("latin-1")
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie" and "secure" not in value.lower():
                value += "; Secure"
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                request.send_header(name, self._outwards(value))
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)
        connection.close()

    def _inwards(self, text: str) -> str:
        return text.replace(f":{self.outer}", f":{self.inner}").replace("https://", "http://")

    def _outwards(self, text: str) -> str:
        for host in ("localhost", "apple.localhost", "127.0.0.1"):
            text = text.replace(f"http://{host}:{self.inner}", f"https://{host}:{self.outer}")
        return text
