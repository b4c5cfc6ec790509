"""Debian's Apache with mod_auth_openidc in front of one protected page, on a free port of 127.0.0.1."""

import os
import subprocess
import urllib.request
from pathlib import Path

from server import free_port
from waiting import SECONDS, until

MODULES = Path("/usr/lib/apache2/modules")

CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
DocumentRoot {folder}/site
{user}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
ForceType text/html

OIDCProviderMetadataURL {base}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI http://127.0.0.1:{port}/callback
OIDCCryptoPassphrase a-passphrase-of-this-test-alone
OIDCScope "openid name email"
OIDCResponseType code
OIDCResponseMode form_post
OIDCProviderTokenEndpointAuth client_secret_post
OIDCPKCEMethod S256

<Location />
    AuthType openid-connect
    Require valid-user
    # Chromium would show the page again without asking.
    Header always set Cache-Control no-store
    Header always set X-Subject "expr=%{{env:OIDC_CLAIM_sub}}"
    Header always set X-Email "expr=%{{env:OIDC_CLAIM_email}}"
    Header always set X-Access-Token "expr=%{{env:OIDC_access_token}}"
</Location>
<Location /signed-out.html>
    AuthType None
    Require all granted
</Location>
"""


class Apache:
    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.return_url = self.url + "/callback"
        self.process: subprocess.Popen | None = None

    def start(self, base: str, client_id: str, client_secret: str) -> None:
        site = self.folder / "site"
        site.mkdir()
        (site / "page.html").write_text("<!doctype html><title>Protected</title><h1>Protected page</h1>")
        (site / "signed-out.html").write_text("<!doctype html><title>Out</title><h1>Signed out</h1>")
        for path in [self.folder, site, *site.iterdir()]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        configuration = self.folder / "apache.conf"
        configuration.write_text(
            CONFIGURATION.format(
                folder=self.folder, port=self.port, modules=MODULES, base=base, client_id=client_id,
                client_secret=client_secret,
                # Apache's workers do not run as root.
                user="User www-data\nGroup www-data" if os.geteuid() == 0 else "",
            )
        )
        with (self.folder / "apache.out").open("wb") as said:
            self.process = subprocess.Popen(
                ["/usr/sbin/apache2", "-f", str(configuration), "-DFOREGROUND"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(SECONDS)

    def _wait_until_ready(self) -> None:
        until(self._is_ready, self._last_words)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self._last_words()
        try:
            with urllib.request.urlopen(self.url + "/signed-out.html", timeout=60):
                return True
        except OSError:
            return False

    def _last_words(self) -> str:
        files = [self.folder / "apache.out", self.folder / "error.log"]
        return "\n".join(file.read_text(errors="replace")[-2000:] for file in files if file.exists())
