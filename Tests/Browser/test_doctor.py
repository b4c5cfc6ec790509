"""`pippin doctor` beside a running Pippin, where Apple says nothing: its simulator is named and not there."""

import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cast import Acme, SigningKey
from server import ROOT, Pippin, binary, free_port
from waiting import SECONDS

TEAM = "DOCTORTM01"


@pytest.fixture
def doctor(pippin: Pippin) -> Callable[..., tuple[int, str]]:
    def ask(*options: str) -> tuple[int, str]:
        done = subprocess.run(
            [binary(), "doctor", *options, "--simulate-apple", "--listen", f"127.0.0.1:{pippin.port}",
             "--public-url", pippin.url, "--data", str(pippin.data), "--resources", str(ROOT)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        return done.returncode, done.stdout + done.stderr

    return ask


def test_apples_silence_is_wrong_once_a_team_is_connected(pippin: Pippin, doctor: Callable[..., tuple[int, str]]):
    team = Acme(return_url="http://127.0.0.1:9/callback", key=SigningKey("DOCTORKEY1"), id=TEAM)
    pippin.apply(team.registry())
    status, said = doctor("--team", TEAM)
    assert (status, "note   Apple: Apple does not answer" in said) == (0, True), said

    key = SigningKey("DOCTORKEY2")
    (pippin.folder / "doctor.p8").write_text(key.private_pem)
    registry = team.registry()
    registry["teams"][0]["appIDs"][0]["apple"] = {
        "teamID": "APPLESIM00", "servicesID": "com.acme.siwa", "keyID": key.id, "privateKeyFile": "doctor.p8",
    }
    pippin.apply(registry)

    for options in [("--team", TEAM), ()]:
        status, said = doctor(*options)
        assert (status, "WRONG  Apple: Apple does not answer" in said) == (1, True), said


def test_the_outgoing_proxy_is_named_and_so_is_its_refusal(pippin: Pippin):
    class Proxy(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            asked.append((self.path, self.headers["Proxy-Authorization"]))
            self.send_error(403)

        def log_message(self, *_: object) -> None:
            pass

    asked: list[tuple[str, str]] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        # Not beside the simulator, which is on this machine: Apple itself is asked for, and the proxy refuses.
        done = subprocess.run(
            [binary(), "doctor", "--outgoing-proxy", f"http://ada:pear-tree@127.0.0.1:{proxy.server_port}",
             "--public-url", pippin.url, "--data", str(pippin.data), "--resources", str(ROOT)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        proxy.shutdown()
    said = done.stdout + done.stderr
    assert f"Calls to other servers go through http://127.0.0.1:{proxy.server_port}." in said and "pear-tree" not in said
    assert "Apple cannot be reached: the outgoing proxy answered with status 403" in said
    assert ("appleid.apple.com:443", "Basic YWRhOnBlYXItdHJlZQ==") in asked


def test_a_public_address_that_speaks_an_old_tls_alone_is_told_by_its_version(pippin: Pippin, tmp_path: Path):
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-out", files[0],
         "-keyout", files[1]], check=True, capture_output=True,
    )
    port = free_port()
    with subprocess.Popen(
        ["openssl", "s_server", "-accept", str(port), "-cert", files[0], "-key", files[1], "-tls1_1", "-cipher",
         "ALL:@SECLEVEL=0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as server:
        assert any(line.strip() == "ACCEPT" for line in server.stdout)
        done = subprocess.run(
            [binary(), "doctor", "--public-url", f"https://localhost:{port}", "--data", str(pippin.data), "--resources",
             str(ROOT)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        server.terminate()
    assert f"Browsers open no encrypted connection to localhost:{port}: it speaks TLS 1.1 or older" in done.stdout, done.stdout
    assert "Switch TLS 1.2 and TLS 1.3 on at localhost." in done.stdout
