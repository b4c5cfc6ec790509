"""Signals that come close together, and what `serve` is refused for before it makes anything."""

import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest

import database
from processes import Host, given_by_apple, hand_over
from server import ROOT, binary, free_port, new_folder
from waiting import SECONDS


@pytest.fixture
def host() -> Iterator[Host]:
    with Host.running("--demo", "--simulate-apple", "--drain", "0") as host:
        host.wait_until(host.has_started)
        yield host


def test_sigterm_soon_after_sighup_cuts_no_request_off(host: Host):
    """The worker that has handed over still answers, while the one that took over has ended."""
    given = given_by_apple(host).json()
    host.let_apple("slow")
    answers = []
    request = threading.Thread(target=lambda: answers.append(hand_over(host, given).status_code))
    request.start()
    database.until(host, "SELECT 1 FROM native_handovers")
    host.process.send_signal(signal.SIGHUP)
    host.wait_for("worker.changed")

    host.stop()
    request.join()

    assert answers == [200]


def test_a_second_sighup_during_a_start_is_kept(host: Host):
    """What changed after the first may have been read already by the worker that starts."""
    host.process.send_signal(signal.SIGHUP)
    host.wait_for("worker.change_begun")
    host.process.send_signal(signal.SIGHUP)
    host.process.send_signal(signal.SIGHUP)

    host.wait_for("worker.changed", 2)
    host.wait_for("worker.drained", 2)

    assert host.is_ready()
    assert len(host.events("worker.changed")) >= 2


def test_a_wrong_certificate_is_told_before_anything_is_made():
    folder = new_folder("pippin-tls-")
    for name in ("a", "b"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9",
             "-subj", "/CN=localhost", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"],
            check=True, capture_output=True, timeout=SECONDS,
        )
    data = folder / "data"
    for certificate, key in (("a.pem", "b.key"), ("a.key", "a.key"), ("none.pem", "a.key")):
        done = subprocess.run(
            [binary(), "serve", "--listen", f"127.0.0.1:{free_port()}", "--public-url", "https://id.example.com", "--data", data,
             "--resources", ROOT, "--tls-cert", folder / certificate, "--tls-key", folder / key],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        assert done.returncode != 0
        assert ".pem" in done.stderr or "certificate" in done.stderr
        assert not data.exists() or list(data.iterdir()) == []
