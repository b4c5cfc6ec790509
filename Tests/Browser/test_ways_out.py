"""The ways back to an app, in Chromium, which applies a page's form-action to every redirect that follows."""

import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import hosted
from cast import ADA, registered
from server import Pippin
from waiting import until

TEAM = "WAYSTEAM01"
POPUP = """<!doctype html><title>App</title><button>Sign in</button><output></output><script src="/popup.js"></script>"""
SCRIPT = """
document.querySelector("button").onclick = () => window.open(location.hash.slice(1), "_blank", "width=700,height=700");
addEventListener("message", (event) => {
  document.querySelector("output").textContent = JSON.stringify({ origin: event.origin, data: event.data });
});
"""


class App(ThreadingHTTPServer):
    """An app whose callback sends people on: to another site, or to a scheme of its own."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.callbacks: list[dict[str, str]] = []
        self.onward = ""
        self.url = f"http://127.0.0.1:{self.server_port}"
        # Another site: ports do not make one, names do.
        self.elsewhere = f"http://localhost:{self.server_port}/landed"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: App

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/callback":
            return self._send_on(query)
        pages = {"/popup": POPUP, "/parted": POPUP, "/popup.js": SCRIPT, "/landed": "<!doctype html><title>App</title><h1>Landed</h1>"}
        body = pages.get(path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/javascript" if path.endswith(".js") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        if path == "/parted":
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self._send_on(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def _send_on(self, fields: str):
        self.server.callbacks.append({"method": self.command, **dict(urllib.parse.parse_qsl(fields))})
        self.send_response(303)
        self.send_header("Location", self.server.onward)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def app(pippin: Pippin) -> Iterator[App]:
    app = App()
    service = {
        "identifier": "com.ways.web", "description": "Ways", "domains": ["127.0.0.1"],
        "returnURLs": [f"{app.url}/callback"],
    }
    pippin.apply({"teams": [{
        "id": TEAM, "name": "Ways", "mode": "sandbox", "identitySources": ["directory"], "secondFactor": "off",
        "appIDs": [{"identifier": "com.ways.app", "description": "Ways", "serviceIDs": [service]}],
        "users": registered((ADA,)),
    }]})
    yield app
    app.shutdown()
    app.server_close()


@pytest.fixture
def signed_in(app: App, pippin: Pippin, new_context) -> BrowserContext:
    """A browser that has signed in before, so that one press of a button leads out."""
    context = new_context()
    page = context.new_page()
    app.onward = app.elsewhere
    page.goto(authorize(pippin, app, "query"))
    hosted.prove(page, ADA)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Landed")).to_be_visible()
    page.close()
    app.callbacks.clear()
    return context


def authorize(pippin: Pippin, app: App, mode: str) -> str:
    fields = {
        "client_id": "com.ways.web", "redirect_uri": f"{app.url}/callback", "response_mode": mode, "state": "s t&u",
        "response_type": "code" if mode == "query" else "code id_token",
    }
    if mode in ("form_post", "web_message"):
        fields["scope"] = "name email"
    return f"{pippin.url}/t/{TEAM}/auth/authorize?{urllib.parse.urlencode(fields)}"


@pytest.mark.parametrize("mode", ["query", "fragment", "form_post"])
def test_a_callback_may_send_people_on_to_another_site(signed_in: BrowserContext, app: App, pippin: Pippin, mode, secrets):
    page = signed_in.new_page()
    page.goto(authorize(pippin, app, mode))
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Landed")).to_be_visible()
    [callback] = app.callbacks
    assert callback["method"] == ("POST" if mode == "form_post" else "GET")
    if mode != "fragment":  # a fragment stays in the browser, and follows the redirect there
        assert callback["state"] == "s t&u"
        secrets.add(callback["code"])
    else:
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).fragment))
        assert answer["state"] == "s t&u" and "id_token" in answer
        secrets.update((answer["code"], answer["id_token"]))


@pytest.mark.parametrize("mode", ["query", "form_post"])
def test_a_callback_may_send_people_on_to_an_app_of_its_own_scheme(
    signed_in: BrowserContext, app: App, pippin: Pippin, mode, secrets
):
    app.onward = "com.ways.app:/done"
    page = signed_in.new_page()
    asked: list[str] = []
    session = signed_in.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    page.goto(authorize(pippin, app, mode))
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Back to Ways")).to_be_visible()
    # No app is installed here; that Chromium followed the redirect to its scheme is what matters.

    def is_asked_for() -> bool:
        page.evaluate("0")  # lets the events of the session in
        return "com.ways.app:/done" in asked

    until(is_asked_for, lambda: f"Chromium asked for {asked}")
    [callback] = app.callbacks
    secrets.add(callback["code"])


def test_a_popup_tells_its_opener_and_closes(signed_in: BrowserContext, app: App, pippin: Pippin, secrets):
    page: Page = signed_in.new_page()
    page.goto(f"{app.url}/popup#{authorize(pippin, app, 'web_message')}")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Sign in", exact=True).click()
    popup = opened.value
    with popup.expect_event("close"):
        hosted.press_continue(popup)
    expect(page.locator("output")).to_contain_text("oauthDone")
    told = json.loads(page.locator("output").inner_text())
    assert told["origin"] == pippin.url
    message = json.loads(told["data"])  # a text, as Apple's library wants it
    assert message["method"] == "oauthDone"
    assert message["data"]["authorization"]["state"] == "s t&u"
    assert "user" not in message["data"], "it comes with the first consent alone"
    secrets.update(message["data"]["authorization"][name] for name in ("code", "id_token"))
    assert app.callbacks == []


GONE = "The window where you began is gone"


@pytest.mark.parametrize("page_of_app", [None, "/parted"])
def test_a_popup_without_its_opener_says_so(signed_in: BrowserContext, app: App, pippin: Pippin, page_of_app):
    popup = signed_in.new_page()
    if page_of_app:
        popup.goto(f"{app.url}{page_of_app}#{authorize(pippin, app, 'web_message')}")
        with signed_in.expect_page() as opened:
            popup.get_by_role("button", name="Sign in", exact=True).click()
        popup = opened.value
    else:
        popup.goto(authorize(pippin, app, "web_message"))
    hosted.press_continue(popup)
    expect(popup.get_by_role("heading", name=GONE)).to_be_visible()
    expect(popup.get_by_text("Close this window, open Ways again, and sign in there.")).to_be_visible()
    expect(popup.get_by_text("You are on your way")).to_be_hidden()
    expect(popup).to_have_title(GONE)
