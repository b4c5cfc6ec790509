"""A team's web site on this machine, which serves what a test puts at a path and keeps what is sent to it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class WebSite:
    """Answers `pages[path] = (status, headers, body)`; 404 elsewhere. What is posted lies in `received`."""

    def __init__(self):
        self.pages: dict[str, tuple[int, dict[str, str], str]] = {}
        self.received: list[tuple[str, bytes]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = site.pages.get(self.path, (404, {}, "No such page"))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body.encode())), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def do_POST(self) -> None:
                site.received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port

    def start(self) -> None:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
