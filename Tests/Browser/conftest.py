"""One Pippin for all browser tests, one Chromium, and a fresh browser profile for each test."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import database
import logs
import page_checks
from cast import PEOPLE, Acme, Person, SigningKey, registered
from console import Console, set_up, sign_in
from name_server import NameServer
from sample_app import SampleApp
from server import ROOT, Pippin, make_home
from waiting import PATIENCE_MS

SCREENS = ROOT / ".build/screens"

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "has_touch": True},
}


# Files that take longest, before all others: a worker that began one last would keep the rest of the run waiting.
FIRST = ("test_pages.py",)

home = pytest.StashKey[Path]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-snapshots", action="store_true", help="keep the answers of now in Snapshots/")


def pytest_configure(config: pytest.Config) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    # The workers of pytest-xdist find it in their environment.
    if not hasattr(config, "workerinput"):
        config.stash[home] = make_home()


def pytest_unconfigure(config: pytest.Config) -> None:
    if home in config.stash:
        shutil.rmtree(config.stash[home], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in FIRST)


@pytest.fixture(scope="session")
def secrets() -> set[str]:
    """Values of this run that no log line may show. Tests add what they see."""
    return {person.password for person in PEOPLE}


@pytest.fixture(scope="session")
def name_server() -> Iterator[NameServer]:
    server = NameServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def pippin(secrets: set[str], name_server: NameServer) -> Iterator[Pippin]:
    """A Pippin with data of its own. Ends by reading every log line that the whole run wrote."""
    with Pippin.running("--dns-server", name_server.address) as server:
        yield server
        server.stop()
        files = [server.log, *(file for file in server.data.rglob("*.log") if file.is_file())]
        assert logs.leaks(files, secrets) == []
        assert logs.not_json(server.log) == []
        assert logs.requests(server.log) > 0


@pytest.fixture(scope="session")
def sample_app() -> Iterator[SampleApp]:
    app = SampleApp()
    app.start()
    yield app
    app.stop()


@pytest.fixture(scope="session")
def acme(pippin: Pippin, sample_app: SampleApp) -> Acme:
    """Team Acme in the registry, and the sample app holding its credentials."""
    team = Acme(return_url=sample_app.return_url)
    pippin.apply(team.registry())
    sample_app.use(f"{pippin.url}/t/{team.id}", team.id, team.client_id, team.key.id, team.key.private_pem)
    return team


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture
def new_context(browser: Browser, secrets: set[str]) -> Iterator[Callable[..., BrowserContext]]:
    """Makes browser profiles that share nothing: `new_context("phone")`. Ends by asking what the browser disliked."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(look: str = "light", **options) -> BrowserContext:
        context = browser.new_context(**{"locale": "en-US", **LOOKS[look], **options})
        context.set_default_timeout(PATIENCE_MS)
        page_checks.listen(context, complaints)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        secrets.update(cookie["value"] for cookie in context.cookies())
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """A desktop window in light colours, in a profile of its own."""
    return new_context().new_page()


@pytest.fixture(params=LOOKS)
def page_in_each_look(request: pytest.FixtureRequest, new_context: Callable[..., BrowserContext]) -> Page:
    """The same test thrice: light, dark, and on a phone."""
    return new_context(request.param).new_page()


@pytest.fixture(scope="session")
def first_operator(pippin: Pippin, browser: Browser, secrets: set[str]) -> Console:
    """The operator's account and first team, made once through the link that `pippin setup-link` prints."""
    context = browser.new_context(locale="en-US")
    context.set_default_timeout(PATIENCE_MS)
    console = set_up(context.new_page(), pippin)
    secrets.update({console.password, console.set_up_link.rsplit("/", 1)[1]})
    secrets.update(cookie["value"] for cookie in context.cookies())
    context.close()
    return console


@pytest.fixture
def signed_in_console(first_operator: Console, new_context: Callable[..., BrowserContext]) -> Console:
    """The console in a window where the operator is signed in: `.page`, `.team_id`, `.open(path)`."""
    return first_operator.on(new_context(storage_state=first_operator.storage_state).new_page())


@pytest.fixture(scope="session")
def orchard(first_operator: Console, pippin: Pippin) -> Console:
    """The operator's own team, with Ada, Ben and Cleo in its directory."""
    pippin.apply({"teams": [{"id": first_operator.team_id, "users": registered(PEOPLE)}]})
    return first_operator


@pytest.fixture
def client(orchard: Console, secrets: set[str]) -> Iterator[SampleApp]:
    """Another app, not yet told where to sign people in."""
    app = SampleApp()
    app.start()
    yield app
    app.stop()
    secrets.update(callback["code"] for callback in app.callbacks if "code" in callback)


@pytest.fixture
def story_team(
    pippin: Pippin, new_context: Callable[..., BrowserContext], secrets: set[str]
) -> Callable[..., tuple[Console, Acme]]:
    """Founds a team like Acme that no other test knows: its console, with its owner signed in, and its registry."""

    def found(team_id: str, return_url: str = "http://127.0.0.1:9/callback") -> tuple[Console, Acme]:
        owner = Person("Olga", "Owner", f"olga@{team_id.lower()}.example", "owners-water-every-day")
        team = Acme(return_url=return_url, key=SigningKey(team_id), id=team_id)
        registry = team.registry()
        registry["teams"][0]["users"] += registered((owner,))
        pippin.apply(registry)
        database.give_console_account(pippin, owner, team_id, "owner")
        secrets.add(owner.password)
        page = new_context().new_page()
        sign_in(page, pippin, owner.email, owner.password)
        return Console(pippin.url, team_id, owner.email, owner.password, "", {}, page), team

    return found


@pytest.fixture
def screenshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Keeps a picture of a page in .build/screens, where PIPPIN_SCREENS is set: `screenshot(page, "team-list")`."""

    def keep(page: Page, name: str, look: str | None = None) -> None:
        if not os.environ.get("PIPPIN_SCREENS"):
            return
        look = look or getattr(getattr(request.node, "callspec", None), "params", {}).get("page_in_each_look", "light")
        SCREENS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENS / f"{name}-{look}.png", full_page=True)

    return keep
