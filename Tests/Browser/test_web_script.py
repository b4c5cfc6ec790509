"""A web page that was written for Apple's script, of which only the host is changed."""

import threading
import urllib.parse
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page, expect

import hosted
from cast import BEN, Acme, SigningKey
from server import Pippin

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta name="appleid-signin-client-id" content="{client}">
<meta name="appleid-signin-scope" content="name email">
<meta name="appleid-signin-redirect-uri" content="{return_url}">
<meta name="appleid-signin-state" content="state 1">
<meta name="appleid-signin-nonce" content="nonce-1">
<meta name="appleid-signin-use-popup" content="{popup}">
</head>
<body>
<div id="appleid-signin" data-color="{color}" data-border="true" data-type="sign in" style="width: 210px; height: 40px"></div>
<button id="own">Own button</button>
<output></output>
<script src="{base}/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js"></script>
<script>
const told = [];
for (const name of ["AppleIDSignInOnSuccess", "AppleIDSignInOnFailure"]) {{
  document.addEventListener(name, (event) => {{
    told.push([name, event.detail]);
    document.querySelector("output").textContent = told.length;
  }});
}}
document.querySelector("#own").addEventListener("click", async () => {{
  AppleID.auth.init({{ clientId: "{client}", scope: "name email", redirectURI: "{return_url}", state: "own", usePopup: true }});
  try {{
    told.push(["resolved", await AppleID.auth.signIn()]);
  }} catch (problem) {{
    told.push(["rejected", problem]);
  }}
  document.querySelector("output").textContent = "done";
}});
</script>
</body>
</html>"""


class Shop(ThreadingHTTPServer):
    """A web shop with one page, and the place to which answers are posted."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.page = ""
        self.callbacks: list[dict[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.return_url = f"{self.url}/callback"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self):
        self._answer(self.server.page if self.path == "/shop" else "")

    def do_POST(self):
        fields = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.callbacks.append(dict(urllib.parse.parse_qsl(fields)))
        self._answer("<!doctype html><title>Shop</title><h1>Posted</h1>")

    def _answer(self, page: str):
        body = page.encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.shutdown()
    shop.server_close()


@pytest.fixture(scope="module")
def team(pippin: Pippin, shop: Shop) -> Acme:
    team = Acme(return_url=shop.return_url, key=SigningKey("WEBSCRIPT1"), id="WEBSCRIPT1")
    pippin.apply(team.registry())
    return team


@pytest.fixture
def open_shop(page: Page, pippin: Pippin, team: Acme, shop: Shop) -> Callable[..., Page]:
    def open_shop(popup: str = "true", color: str = "black") -> Page:
        shop.page = PAGE.format(
            base=f"{pippin.url}/t/{team.id}", client=team.client_id, return_url=shop.return_url, popup=popup, color=color)
        page.goto(f"{shop.url}/shop")
        expect(page.get_by_role("button", name="Sign in with Acme")).to_be_visible()
        return page

    return open_shop


def test_the_button_signs_in_by_popup_and_a_failure_is_told_too(open_shop: Callable[..., Page], secrets):
    page = open_shop()
    with page.expect_popup() as first:
        page.get_by_role("button", name="Sign in with Acme").click()
    first.value.get_by_text("Acme").first.wait_for()
    first.value.close()
    expect(page.locator("output")).to_have_text("1")

    page.get_by_role("button", name="Sign in with Acme").focus()
    with page.expect_popup() as second:
        page.keyboard.press("Enter")
    popup = second.value
    hosted.prove(popup, BEN)
    hosted.share_email(popup)
    with popup.expect_event("close"):
        hosted.press_continue(popup)
    expect(page.locator("output")).to_have_text("2")
    [closed, answered] = page.evaluate("told")
    assert closed == ["AppleIDSignInOnFailure", {"error": "popup_closed_by_user"}]
    assert answered[0] == "AppleIDSignInOnSuccess"
    authorization, user = answered[1]["authorization"], answered[1]["user"]
    secrets.update(authorization[name] for name in ("code", "id_token"))
    assert authorization["state"] == "state 1"
    assert user == {"name": {"firstName": BEN.given_name, "lastName": BEN.family_name}, "email": BEN.email}


def test_a_call_of_the_page_gets_a_promise(open_shop: Callable[..., Page]):
    page = open_shop()
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Own button").click()
    hosted.cancel(opening.value)
    expect(page.locator("output")).to_have_text("done")
    assert page.evaluate("told") == [
        ["AppleIDSignInOnFailure", {"error": "user_cancelled_authorize", "state": "own"}],
        ["rejected", {"error": "user_cancelled_authorize", "state": "own"}],
    ]


def test_without_a_popup_the_answer_is_posted(open_shop: Callable[..., Page], shop: Shop):
    page = open_shop(popup="false", color="white")
    page.get_by_role("button", name="Sign in with Acme").click()
    hosted.cancel(page)
    expect(page.get_by_role("heading", name="Posted")).to_be_visible()
    assert shop.callbacks[-1] == {"state": "state 1", "error": "user_cancelled_authorize"}


# Flutter for the web passes null for what a page leaves out.
NOTHING = ("null", "undefined", "0", "5", "false", "[]", "{}", "() => 1", "Symbol()", '""')
SETTINGS = {
    "clientId": "client_id", "redirectURI": "redirect_uri", "scope": "scope", "state": "state", "nonce": "nonce",
    "codeChallenge": "code_challenge", "codeChallengeMethod": "code_challenge_method",
}
INIT = """([name, code]) => {
  const value = Function(`return ${code}`)();
  let opened;
  window.open = (url) => { opened = url; return null; };
  try {
    AppleID.auth.init({ clientId: "own.client", redirectURI: "https://own.example/", usePopup: true, [name]: value });
    AppleID.auth.signIn({ [name]: value }).catch(() => {});
  } catch (error) { return error.message; }
  return Object.fromEntries(new URL(opened).searchParams);
}"""


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_another_type_is_as_if_it_were_left_out(open_shop: Callable[..., Page], name: str):
    page = open_shop()
    answers = {value: page.evaluate(INIT, [name, value]) for value in NOTHING}
    assert answers == dict.fromkeys(NOTHING, answers["undefined"])
    given = page.evaluate(INIT, [name, '"name"'])
    assert given[SETTINGS[name]] == "name" != answers["undefined"].get(SETTINGS[name])


def test_what_flutter_passes_signs_in(open_shop: Callable[..., Page]):
    page = open_shop(popup="false")
    for value in ("null", "undefined", "1", '"true"', "{}"):
        page.evaluate(f"AppleID.auth.init({{ state: null, nonce: undefined, scope: null, usePopup: {value} }})")
    page.evaluate("for (const given of [null, undefined, 5, 'text', []]) { AppleID.auth.init(given); AppleID.auth.renderButton(given); }")
    page.evaluate("void AppleID.auth.signIn(null)")
    page.wait_for_url("**/auth/authorize?*")
    sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).query))
    # What the page's meta elements say is still there.
    assert (sent["state"], sent["nonce"], sent["scope"]) == ("state 1", "nonce-1", "name email")
    assert sent["response_mode"] == "form_post"


@pytest.mark.parametrize("name", ["clientId", "redirectURI"])
def test_what_cannot_be_left_out_is_asked_for_by_name(page: Page, pippin: Pippin, team: Acme, shop: Shop, name: str):
    shop.page = f'<!doctype html><script src="{pippin.url}/t/{team.id}/auth/js"></script>'
    page.goto(f"{shop.url}/shop")
    for value in NOTHING:
        assert page.evaluate(INIT, [name, value]) == f'The "{name}" should be a string.'
