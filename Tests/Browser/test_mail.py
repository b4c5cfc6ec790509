"""Mail through a server that is slow, silent, unfriendly or not to be trusted, and what operators are told of it."""

import subprocess
from collections.abc import Iterator
from itertools import cycle

import pytest

import relay
from backend import Visitor
from cast import ADA, PEOPLE, Acme
from processes import Host
from relay import PASSWORD, STEPS, USER, Relay
from server import ROOT, Pippin, binary, free_port
from waiting import SECONDS

TEAM = Acme(return_url="http://127.0.0.1:9000/callback")
ROUNDS = 20


@pytest.fixture
def mail_server() -> Iterator[Relay]:
    with Relay.running() as relay:
        yield relay


@pytest.fixture
def host(mail_server: Relay) -> Iterator[Host]:
    with Host.running("--smtp", f"smtp://127.0.0.1:{mail_server.port}") as host:
        host.apply(TEAM.registry())
        yield host


def test_no_page_waits_for_a_mail_server_that_is_silent(host: Host, mail_server: Relay):
    """V64: whatever the mail server does not answer, all pages come while it is silent, on every loop."""
    visitor = Visitor(host.url, TEAM)
    for count, (step, person) in enumerate(zip(STEPS, cycle(PEOPLE)), start=1):
        mail_server.be_silent_at(step)
        visitor.forget_password(person)
        mail_server.wait_until_silent()
        for _ in range(ROUNDS):
            # Each by a connection of its own, so that each loop has some.
            assert host.get("/healthz").status_code == 200, step
            visitor.session.close()
            assert "password" in visitor.authorize(), step
        # Nobody waits for the answer to QUIT; whoever had given up another might have kept the pages waiting for it.
        assert mail_server.is_waited_for == (step != "QUIT"), step
        mail_server.go_on()
        mail_server.wait_for_mail(count)
    assert len(mail_server.mails) == len(STEPS)
    host.stop()


def test_a_server_stops_whatever_the_mail_server_holds_back_and_sends_the_same_mail_again(host: Host, mail_server: Relay):
    """V65: RFC 5321 lets it take ten minutes to accept a message."""
    mail_server.be_silent_at("message")
    Visitor(host.url, TEAM).forget_password(ADA)
    mail_server.wait_until_silent()
    host.stop()
    mail_server.go_on()
    host.start()
    again = mail_server.wait_for_mail(2)
    assert again["Message-ID"] == mail_server.mails[0]["Message-ID"]
    host.stop()


@pytest.fixture
def ask(pippin: Pippin):
    """What `pippin doctor` says of the mail server with these options, and with which status."""

    def ask(*options: str) -> tuple[int, str]:
        done = subprocess.run(
            [binary(), "doctor", *options, "--listen", f"127.0.0.1:{pippin.port}", "--public-url", pippin.url,
             "--data", str(pippin.data), "--resources", str(ROOT)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        [line] = [line for line in done.stdout.splitlines() if "Mail server:" in line]
        return done.returncode, line.strip()

    return ask


def test_the_check_up_says_what_the_mail_server_says(ask, tmp_path):
    tls, certificate = relay.self_made(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    _, stranger = relay.self_made(other)
    login = f"{USER.replace('@', '%40')}:{PASSWORD}"
    assert ask()[1].startswith("note   Mail server: No mail server is set")
    status, said = ask("--smtp", f"smtp://127.0.0.1:{free_port()}")
    assert (status, "the connection is refused" in said) == (1, True), said
    with Relay.running(tls, has_login=True) as server:
        url = f"smtp://{login}@127.0.0.1:{server.port}"
        status, said = ask("--smtp", url, "--smtp-ca", str(certificate))
        assert "over an encrypted connection and accepts the user and password" in said, said
        status, said = ask("--smtp", url.replace(PASSWORD, "wrong"), "--smtp-ca", str(certificate))
        assert (status, "says 535 5.7.8 wrong password" in said) == (1, True), said
        status, said = ask("--smtp", url, "--smtp-ca", str(stranger))
        assert (status, "its certificate is not trusted: the server signed it itself" in said) == (1, True), said
    with Relay.running() as server:
        status, said = ask("--smtp", f"smtp://{login}@127.0.0.1:{server.port}")
        assert (status, "asks for no user and password" in said) == (1, True), said
        server.answers = {"EHLO": "554 5.7.1 not here", "HELO": "554 5.7.1 not here"}
        assert "says 554 5.7.1 not here" in ask("--smtp", f"smtp://127.0.0.1:{server.port}")[1]


def test_a_relay_of_the_house_with_a_certificate_it_made_itself_is_taken(tmp_path):
    """RFC 7435: encrypted without proof is better than not encrypted, where no password is at stake."""
    tls, _ = relay.self_made(tmp_path)
    with Relay.running(tls) as server, Host.running("--smtp", f"smtp://127.0.0.1:{server.port}") as host:
        host.apply(TEAM.registry())
        Visitor(host.url, TEAM).forget_password(ADA)
        server.wait_for_mail()
        assert server.were_encrypted == [True]
        host.stop()
