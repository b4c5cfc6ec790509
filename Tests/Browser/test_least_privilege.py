"""What serves has no rights that it does not need: on the machine, in the database, in the files it is given."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

import database
from processes import status
from server import ROOT, Pippin, binary, free_port
from waiting import SECONDS

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")


@pytest.mark.long
@AS_ROOT
def test_what_serves_is_whom_the_operator_names():
    """S22: beside an operator's database, where no PostgreSQL of ours has a user."""
    with Pippin.running() as house:
        house.data.joinpath("socket").chmod(0o755)
        place = f"host={house.data / 'socket'} user=pippin dbname=pippin"
        key = str(house.data / "master-key")
        with Pippin.running("--database", place, "--master-key", key, "--user", "nobody") as guest:
            [worker] = guest.workers
            assert {thread["Uid"].split()[1] for thread in status(worker)} == {str(pwd.getpwnam("nobody").pw_uid)}
            guest.stop()
        house.data.joinpath("socket").chmod(0o700)
        house.stop()


@pytest.mark.long
@pytest.mark.parametrize(("name", "problem"), [
    pytest.param("root", "is root", marks=AS_ROOT),
    pytest.param("nobody-at-all", "there is no user", marks=AS_ROOT),
])
def test_a_user_that_will_not_do_is_refused(name: str, problem: str, tmp_path: Path):
    """S22"""
    with Pippin.running() as house:
        place = f"host={house.data / 'socket'} user=pippin dbname=pippin"
        refused = run("serve", "--database", place, "--master-key", str(house.data / "master-key"),
                      "--user", name, "--data", str(tmp_path), port=free_port())
        assert refused.returncode == 1
        assert problem in refused.stderr
        house.stop()


@pytest.mark.long
def test_the_server_does_not_own_its_database():
    """S22: the private PostgreSQL's superuser is for migrations."""
    with Pippin.running() as pippin:
        found = database.rows(
            pippin,
            """
            SELECT DISTINCT a.usename, r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls,
                (SELECT count(*) FROM pg_class WHERE relowner = r.oid)
            FROM pg_stat_activity a JOIN pg_roles r ON r.rolname = a.usename
            WHERE a.application_name = 'pippin'
            """,
        )
        assert found == [["pippin_server", "f", "0"]]
        pippin.stop()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o622])
def test_a_master_key_that_others_read_is_refused(tmp_path: Path, mode: int):
    """S22: the sentence names the command that mends it."""
    key = tmp_path / "key"
    key.write_text(f"1 {os.urandom(32).hex()}\n")
    key.chmod(mode)

    refused = run("apply", "/dev/null/none", "--master-key", str(key), "--database", "host=/nowhere", data=tmp_path)
    assert refused.returncode == 1
    (tmp_path / "registry.json").write_text("{}")
    refused = run("apply", str(tmp_path / "registry.json"), "--master-key", str(key), "--database", "host=/nowhere",
                  data=tmp_path)

    assert refused.returncode == 1
    assert f"chmod 600 {key}" in refused.stderr


@AS_ROOT
def test_a_master_key_of_somebody_else_is_refused(tmp_path: Path):
    """S22"""
    key = tmp_path / "key"
    key.write_text(f"1 {os.urandom(32).hex()}\n")
    key.chmod(0o600)
    os.chown(key, pwd.getpwnam("nobody").pw_uid, -1)
    (tmp_path / "registry.json").write_text("{}")

    refused = run("apply", str(tmp_path / "registry.json"), "--master-key", str(key), "--database", "host=/nowhere",
                  data=tmp_path)

    assert refused.returncode == 1
    assert f"chown 0 {key}" in refused.stderr


def test_two_master_keys_of_one_id_are_refused(tmp_path: Path):
    """V39: a ring that Pippin made the newer key of names both of them 1; every command trapped on it."""
    key = tmp_path / "key"
    key.write_text(f"1 {os.urandom(32).hex()}\n1 {os.urandom(32).hex()}\n")
    key.chmod(0o600)
    (tmp_path / "registry.json").write_text("{}")

    refused = run("apply", str(tmp_path / "registry.json"), "--master-key", str(key), "--database", "host=/nowhere",
                  data=tmp_path)

    assert refused.returncode == 1
    assert f"{key}: two lines have the id 1" in refused.stderr


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "endless"])
def test_apply_reads_regular_files_alone(tmp_path: Path, kind: str):
    """S42: nothing is waited for, and nothing is read without end."""
    file = tmp_path / "registry.json"
    match kind:
        case "fifo": os.mkfifo(file)
        case "device": file = Path("/dev/tty")
        case "folder": file.mkdir()
        case "endless": file = Path("/dev/zero")

    refused = run("apply", str(file), data=tmp_path)

    assert refused.returncode == 1
    assert "is no regular file" in refused.stderr


@pytest.mark.long
def test_a_link_leads_to_no_key_outside_the_folder(tmp_path: Path):
    """S22: a registry file may be somebody else's work; what it names is read with the rights of whoever applies it."""
    secret = tmp_path / "secret.p8"
    secret.write_text("-----BEGIN PRIVATE KEY-----\n")
    folder = tmp_path / "registry"
    folder.mkdir()
    (folder / "key.p8").symlink_to(secret)
    (folder / "registry.json").write_text("""{"teams": [{"id": "LINKS00001", "name": "Links", "mode": "sandbox", "appIDs": [
        {"identifier": "com.links.app", "description": "Links",
         "apple": {"teamID": "ABCDE12345", "servicesID": "com.links.siwa", "keyID": "KEY1234567", "privateKeyFile": "key.p8"}}
    ]}]}""")
    with Pippin.running() as pippin:
        missing = run("apply", str(folder / "registry.json"), *pippin._place)
        (folder / "key.p8").unlink()
        nothing = run("apply", str(folder / "registry.json"), *pippin._place)
        pippin.stop()

    # The same as where there is no file at all.
    assert (missing.returncode, missing.stderr) == (nothing.returncode, nothing.stderr)
    assert missing.returncode == 1 and "privateKeyFile" in missing.stderr


def test_names_do_not_command_the_terminal(tmp_path: Path):
    """S42: what members and files are called is somebody else's choice."""
    name = "\x1b]0;owned\x07\r\nteam EVIL000001"
    refused = run("apply", f"{tmp_path}/\x1b[2J.json", data=tmp_path)
    file = tmp_path / "registry.json"
    file.write_text('{"teams": [{"id": "ACMETEAM01", "\\u001b]0;owned\\u0007\\nteam EVIL000001": 1}]}')
    shown = run("apply", str(file), data=tmp_path)

    for said in (refused, shown):
        assert said.returncode == 1
        assert not set(said.stderr + said.stdout) & set(name) - set(" \n" + "".join(map(chr, range(0x20, 0x7F))))
    assert "\nteam EVIL" not in shown.stderr


def test_each_command_is_itself():
    """S28: one that the help lists and nobody parses would run as another."""
    overview = run("--help").stdout
    names = [line.split()[0] for line in overview.splitlines() if line.startswith("  ") and not line.startswith("   ")]
    assert set(names) == {
        "serve", "setup-link", "apply", "export", "audit", "doctor", "migrate", "backup", "restore", "version",
    }
    for name in names:
        assert f"pippin {name}" in run(name, "--help").stdout
        refused = run(name, "--no-such-option", "x")
        assert refused.returncode in (2, 64)
        assert ("FILE.json" in refused.stderr) == (name == "apply"), refused.stderr


def run(*arguments: str, port: int | None = None, data: Path | None = None) -> subprocess.CompletedProcess:
    listen = ["--listen", f"127.0.0.1:{port}"] if port else []
    place = ["--data", str(data / "data"), "--resources", str(ROOT)] if data else []
    if port:
        place += ["--resources", str(ROOT)]
    return subprocess.run(
        [binary(), *arguments, *listen, *place], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=SECONDS,
    )
