"""A team connects an app to Apple, which is simulated: what the pages say at each step, and `doctor`."""

import subprocess
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import Page, expect

import page_checks
from console import Console, set_up
from server import ROOT, Pippin, binary
from waiting import SECONDS

KEY = "APPLEKEY77"


@pytest.fixture(scope="module")
def pippin() -> Iterator[Pippin]:
    with Pippin.running("--simulate-apple") as server:
        yield server
        server.stop()


def doctor(pippin: Pippin, team: str) -> tuple[int, str]:
    done = subprocess.run(
        [binary(), "doctor", "--team", team, "--simulate-apple", "--listen", f"127.0.0.1:{pippin.port}",
         "--public-url", pippin.url, "--data", str(pippin.data), "--resources", str(ROOT)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
    )
    return done.returncode, done.stdout + done.stderr


def private_pem() -> str:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def import_key(console: Console) -> None:
    page = console.page
    page.get_by_label("Content of the .p8 file").fill(private_pem())
    page.get_by_label("Key ID").fill(KEY)
    page.get_by_label("Apple Team ID").fill("APPLESIM00")
    page.get_by_label("Name", exact=True).fill("Orchard at Apple")
    page.get_by_role("button", name="Import key").click()


def test_from_the_key_to_a_connection_that_works(pippin: Pippin, page: Page, screenshot):
    found: list[str] = []

    def look(name: str) -> None:
        found.extend(page_checks.faults_in_every_look(page, lambda kind: screenshot(page, f"apple-{name}", kind)))

    console = set_up(page, pippin).on(page)
    assert doctor(pippin, console.team_id)[0] == 0
    assert doctor(pippin, "NOSUCHTEAM")[0] == 2
    console.register_app_id("com.orchard.app", "Orchard")
    page.get_by_role("link", name="Connect to Apple").click()
    look("no-key")
    page.get_by_role("link", name="Import a key from Apple").click()
    import_key(console)
    page.get_by_role("link", name="Connect its App ID to Apple").click()
    page.get_by_label("Services ID").fill("com.orchard.siwa")
    look("new")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("com.orchard.app is connected")

    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("must be the name of the very .p8 file").first).to_be_visible()
    look("refused")
    status, said = doctor(pippin, console.team_id)
    assert status == 1 and "WRONG" in said and f"AuthKey_{KEY}.p8" in said and "PRIVATE KEY" not in said

    page.get_by_role("button", name="Register these values at the simulator").click()
    expect(page.get_by_role("status")).to_contain_text("knows these values now")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status")).to_contain_text("accepts every client")
    look("works")
    console.open("settings")
    page.get_by_role("radio", name="Both").check()
    page.locator("form[action$='/settings/sources']").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()
    console.open("apple")
    expect(page.get_by_text("Both", exact=True)).to_be_visible()
    look("hub")
    console.open("checkup")
    page.get_by_role("button", name="Run the check-up").click()
    expect(page.get_by_text("Apple opens its sign-in page for").first).to_be_visible()
    look("checkup")
    console.open("/operator/apple")
    console.page.wait_for_load_state()
    look("drift")
    assert found == []
