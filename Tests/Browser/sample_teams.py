"""Teams for tests that open every page: Garden with something of everything, Fallow with nothing."""

import html
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import jwt
import requests
from playwright.sync_api import Browser, Page, expect

import database
import hosted
from app_sign_in import sign_in_for_the_first_time
from cast import ADA, BEN, CLEO, DANA, Person, registered
from console import Console, facts, sign_in
from sample_app import SampleApp
from server import Pippin
from waiting import PATIENCE_MS, SECONDS, until
from web_site import WebSite

FULL = "GARDEN0001"
EMPTY = "FALLOW0001"
STRICT = "THICKET001"  # requires a second factor
LONG = "a-service-with-a-long-name.of-a-company-with-a-long-name.orchard.example"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
NO_TOKEN = "A" * 43
EVE = Person("Eve", "Ning", "eve@garden.example", "primroses-open-at-dusk")
IVY = Person("Ivy", "Wall", "ivy@garden.example", "ivy-holds-the-wall-up")
FERN = Person("Fern", "Frond", "fern@garden.example", "fronds-of-maidenhair")
ROSE = "rose@garden.example"
JOB = "j" * 26


class SampleTeams:
    """Creates the teams and fills one; then has an address of each page, by the pattern that the server declares."""

    def __init__(self, console: Console, pippin: Pippin, browser: Browser, secrets: set[str]):
        self.pippin = pippin
        self.browser = browser
        self.secrets = secrets
        self.site = WebSite()
        self.client = SampleApp()
        # Of the console's browser, which is closed once all is there.
        self.storage_state = None
        self.console = console.on(self._visitor(), team_id=FULL)
        self.empty = self.console.on(self.console.page, team_id=EMPTY)

    def fill(self) -> None:
        self.site.start()
        self.client.start()
        # A session of its own: founding a team gives the founder a new one.
        sign_in(self.console.page, self.pippin, self.console.email, self.console.password)
        self._create_teams()
        self._register()
        self._use()
        self._run()
        self._add_jobs_and_mail()
        self.storage_state = self.console.page.context.storage_state()
        self.secrets.update(cookie["value"] for cookie in self.storage_state["cookies"])
        self.console.page.context.close()

    def stop(self) -> None:
        self.site.stop()
        self.client.stop()
        self.secrets.update(callback["code"] for callback in self.client.callbacks if "code" in callback)

    @property
    def hosted(self) -> str:
        return f"{self.pippin.url}/t/{FULL}"

    @property
    def authorize(self) -> str:
        return (
            f"{self.hosted}/auth/authorize?response_type=code&response_mode=form_post&scope=name%20email"
            f"&client_id=com.garden.web&redirect_uri={quote(self.client.return_url, safe='')}"
        )

    def console_pages(self) -> list[str]:
        """Paths of every page of the console: full, empty, and what a filter leaves; `@` is the team with nothing."""
        team = [
            "", "@", "app-ids", "app-ids?q=nothing", "@app-ids", "app-ids/new", "app-ids/com.garden.app",
            "app-ids/com.garden.moving", "service-ids", "service-ids?q=nothing", "@service-ids", "service-ids/new",
            "@service-ids/new", "service-ids/com.garden.web", f"service-ids/com.{LONG}",
            "service-ids/com.garden.web/test-sign-ins/new", f"test-sign-ins/{self.test_sign_in}", f"test-sign-ins/{self.cancelled_test_sign_in}",
            "domains/127.0.0.1", f"domains/{LONG}", "keys", "keys?q=nothing", "@keys", "keys/new", "@keys/new",
            *(f"keys/{key}" for key in reversed(self.keys)), "apple-keys/new", "@apple-keys/new", "apple-keys/KEY7654321",
            "apple", "@apple", "apple/new", "@apple/new", "apple/com.garden.app", "checkup",
            "email-sources", "email-sources?q=nothing", "@email-sources", "email-sources/new",
            f"email-sources/garden.{LONG}", "signing-keys", "@signing-keys", "not-before", "@not-before", "transfers",
            "@transfers", "users", "users?q=nobody", "@users", "user-invitations", "@user-invitations",
            "apple-tokens", "apple-tokens?state=refused&problem=client", "apple-tokens?q=nobody", "@apple-tokens",
            *(f"users/{sub}{page}" for sub in self.people for page in ("", "/factors")),
            *(f"users/{self.people[0]}/{end}" for end in (
                "sessions/end", "tokens/revocation", f"tokens/{self.token}/revocation", "consents/com.garden.app/end"
            )),
            "traces", "traces?outcome=failed", "traces?app=com.nothing", "@traces", *(f"traces/{trace}" for trace in self.traces),
            "notifications", "notifications?state=dead", "@notifications", *(f"notifications/{notification}" for notification in self.notifications),
            "audit", "audit?q=nothing", "audit?outcome=refused", "@audit",
            *(f"audit/events/{event}" for event in self.events), "members", "@members", f"members/{self.member}",
            "settings", "@settings", "settings/preview", "settings/preview?accent=%23ffe14d",
        ]
        below = [f"{EMPTY}/{path[1:]}" if path.startswith("@") else f"{FULL}/{path}" for path in team]
        outside = [
            "", "teams/new", "operator", "operator/teams", "operator/teams?q=nothing", "operator/jobs",
            "operator/jobs?state=pending", f"operator/jobs/{FULL}/{JOB}", "operator/mailbox",
            "operator/apple", "operator/mailbox?q=nobody", f"operator/mailbox/{self.mail}",
        ]
        doors = [self.console.set_up_link.removeprefix(self.pippin.url), self.invitation, f"/invitations/{NO_TOKEN}"]
        return [f"/console/{path}".rstrip("/") for path in [*below, *outside]] + doors

    # What there is

    def _create_teams(self) -> None:
        for team, name in ((FULL, "Garden"), (EMPTY, "Fallow")):
            page = self.console.open("/teams/new")
            page.get_by_label("Team name", exact=True).fill(name)
            page.get_by_label("Team ID", exact=True).fill(team)
            page.get_by_role("radio", name="Sandbox").check()
            page.get_by_role("button", name="Create team").click()
            expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        people = registered((ADA, BEN, CLEO, DANA, IVY, FERN))
        people[3]["totpSecret"] = SECRET
        self.secrets.update({SECRET, IVY.password, FERN.password})
        self.pippin.apply({"teams": [
            {"id": FULL, "users": people},
            {"id": STRICT, "name": "Thicket", "mode": "sandbox", "secondFactor": "required",
             "users": registered((IVY,))},
        ]})

    def _register(self) -> None:
        console, app = self.console, "com.garden.app"
        console.register_app_id(app, "Garden")
        console.register_app_id("com.garden.moving", "Potting shed")
        page = console.open(f"app-ids/{app}")
        self.site.pages["/notices"] = (200, {}, "Thank you")
        page.get_by_label("Notification URL").fill(f"http://127.0.0.1:{self.site.port}/notices")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("Saved")
        console.create_service_id("com.garden.web", "Garden Gate", of=app, return_urls=[self.client.return_url])
        console.create_service_id(
            f"com.{LONG}", "A name that is far longer than any app would be called by its friends", domains=LONG,
            of=app, return_urls=[f"https://{LONG}/callback/{'x' * 120}?number={n}" for n in range(10)],
        )
        revoked = console.create_key("Old shed", of=app)
        console.revoke_key(revoked, "It was lost")
        key = console.create_key("New shed", of=app)
        waiting = console.create_key("Greenhouse", of=app)
        self.private_key = console.download_key(key)
        self.keys = [revoked, key, waiting]
        console.import_apple_key("KEY7654321", "Garden at Apple", of=app, private_pem=self.private_key)
        console.connect_apple("com.garden.siwa", "KEY7654321", of=app)
        console.add_email_source(f"garden.{LONG}", "s1", "2026-11.garden")
        self.client.use(self.hosted, FULL, "com.garden.web", key, self.private_key)

    def _use(self) -> None:
        """People sign in, try things, and fail."""
        visitor = self._visitor()
        sign_in_for_the_first_time(visitor, self.client, ADA)
        visitor.goto(self.authorize.replace("callback", "elsewhere"))
        failed = visitor.locator("code").first.inner_text()
        visitor.context.close()
        page = self.console.open("service-ids/com.garden.web/test-sign-ins/new")
        page.get_by_role("button", name="Start").click()
        hosted.prove(page, BEN)
        hosted.press_continue(page)
        expect(page.get_by_text("Worked", exact=True)).to_be_visible()
        self.test_sign_in = page.url.rsplit("/", 1)[1]
        page = self.console.open("service-ids/com.garden.web/test-sign-ins/new")
        page.get_by_role("button", name="Start").click()
        hosted.cancel(page)
        expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
        self.cancelled_test_sign_in = page.url.rsplit("/", 1)[1]
        found = self._until(f"SELECT trace_id FROM traces WHERE team_id = '{FULL}' AND outcome <> 'open'", 3)
        self.failed_flow = failed
        self.traces = [trace for [trace] in found]
        self._delete(FERN)
        self.people = []
        for person in (ADA, DANA):
            page = self.console.open(f"users?q={person.given_name.lower()}")
            page.get_by_role("link", name=f"{person.given_name} {person.family_name}").click()
            self.people.append(facts(page)["User ID"])
        [[self.token]] = database.rows(
            self.pippin,
            f"SELECT encode(token_id, 'hex') FROM refresh_tokens WHERE team_id = '{FULL}' AND sub = '{self.people[0]}' LIMIT 1",
        )
        self._add_apple_user()

    def _add_apple_user(self) -> None:
        """Somebody whom Apple told all there is, and whose tokens it takes back or not."""
        sub = "001122.0123456789abcdef0123456789abcdef.0001"
        database.rows(
            self.pippin,
            f"""
            BEGIN;
            INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified, is_private_email, created_at)
            VALUES ('{FULL}', '{sub}', 'Rita', 'Regular', 'qx8z2k4p7m@privaterelay.appleid.com', true, true, now());
            INSERT INTO upstream_identities (
                team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
                form_email, form_received_at, state_at, created_at, last_seen_at
            ) VALUES ('{FULL}', 'apple', '{sub}', '{sub}', '760417.fedcba9876543210fedcba9876543210.1827', 2,
                'Rita', 'Regular', 'qx8z2k4p7m@privaterelay.appleid.com', now(), now(), now(), now());
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, validated_at,
                state, problem, problem_at, settled_at
            )
            SELECT '{FULL}', decode(lpad(n::text, 32, '0'), 'hex'), 'apple', '{sub}', 'com.garden.app',
                'com.garden.siwa', ''::bytea, now(), now() + interval '1 year', CASE n WHEN 1 THEN now() END, state,
                problem, CASE WHEN problem IS NOT NULL THEN now() END,
                CASE WHEN state IN ('revoked', 'refused') THEN now() END
            FROM (VALUES
                (1, 'live', NULL), (2, 'live', 'client'), (3, 'ending', NULL), (4, 'revoked', NULL),
                (5, 'refused', 'client'), (6, 'refused', 'unconnected'), (7, 'refused', 'token'),
                (8, 'refused', 'unreachable'), (9, 'refused', 'sealed')
            ) AS token (n, state, problem);
            COMMIT;
            """,
        )
        self.people.append(sub)

    @contextmanager
    def open_to_apple(self) -> Iterator[None]:
        """Lets people of the directory come by way of Apple, too."""
        self._set_sources("{directory,apple}", 1)
        try:
            yield
        finally:
            self._set_sources("{directory}", 0)

    def _set_sources(self, sources: str, ways: int) -> None:
        database.rows(self.pippin, f"UPDATE teams SET identity_sources = '{sources}' WHERE team_id = '{FULL}'")

        def shown() -> int:
            """How many ways to Apple a browser is shown."""
            page = requests.get(f"{self.hosted}/account/session", timeout=SECONDS)
            return len(set(re.findall(r'href="(/[^"]*/apple)"', page.text)))

        # Whichever loop of the server answers has heard of it.
        until(lambda: all(shown() == ways for _ in range(8)))

    def connect_to_apple(self, person: Person) -> None:
        database.rows(
            self.pippin,
            f"""
            INSERT INTO upstream_identities (
                team_id, provider, identifier, sub, email, is_private_email, linked_at, state_at, created_at, last_seen_at
            )
            SELECT team_id, 'apple', '001122.fedcba9876543210fedcba9876543210.0002', sub,
                'k3v9t5m2p8@privaterelay.appleid.com', true, now(), now(), now(), now()
            FROM login_names WHERE team_id = '{FULL}' AND login = '{person.email}'
            """,
        )

    def _delete(self, person: Person) -> None:
        """Somebody signs in and is deleted by the app, which is told in the end."""
        visitor = self._visitor()
        sign_in_for_the_first_time(visitor, self.client, person)
        sub = visitor.locator("#username").inner_text()
        visitor.context.close()
        secret = jwt.encode(
            {"iss": FULL, "iat": int(time.time()), "exp": int(time.time()) + 60, "aud": self.hosted,
             "sub": "com.garden.web"},
            self.private_key, algorithm="ES256", headers={"kid": self.keys[1]},
        )
        fields = {"client_id": "com.garden.web", "client_secret": secret, "sub": sub}
        answer = requests.post(f"{self.hosted}/auth/delete-account", fields, timeout=SECONDS)
        assert answer.status_code == 202, answer.text
        self.receipts = [answer.json()["receipt_url"]]

    def _run(self) -> None:
        """The team's own affairs: members, notifications, keys, an offer."""
        page = self.console.open("notifications")
        page.get_by_label("Event", exact=True).last.select_option(index=1)
        page.get_by_role("button", name="Send test event").click()
        expect(page.get_by_role("status")).to_contain_text("being sent")
        self.notifications = [page.url.rsplit("/", 1)[1]]
        page = self.console.open("signing-keys")
        page.get_by_role("button", name="Publish the next key").click()
        expect(page.get_by_role("status")).to_contain_text("published")
        page = self.console.open("transfers")
        page.get_by_label("App ID", exact=True).select_option("com.garden.moving")
        page.get_by_label("Team ID of the other team").fill(EMPTY)
        page.get_by_role("button", name="Offer", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("It is offered")
        for email in (EVE.email, "a-colleague-with-a-long-address@a-company-with-a-long-name.garden.example"):
            page = self.console.open("members")
            page.get_by_label("Email address", exact=True).fill(email)
            page.get_by_role("radio", name="Admin").check()
            page.get_by_role("button", name="Send invitation").click()
            expect(page.get_by_role("status")).to_contain_text("is in the operators’ mailbox")
        page = self.console.open("user-invitations")
        page.get_by_label("Email address", exact=True).fill(ROSE)
        page.get_by_role("button", name="Send invitation").click()
        expect(page.get_by_role("status")).to_contain_text("is in the operators’ mailbox")
        self.user_invitation = self.mailed_link(ROSE)
        database.give_console_account(self.pippin, BEN, FULL, "developer")
        [[self.member]] = database.rows(
            self.pippin, f"SELECT sub FROM memberships WHERE team_id = '{FULL}' AND role = 'developer'"
        )
        event = f"SELECT event_id FROM audit_events WHERE team_id = '{FULL}' AND action = "
        self.events = [
            page.url.rsplit("/", 1)[1] for page in (self._event("Key revoked"), self._event("App ID updated"))
        ]

    def _add_jobs_and_mail(self) -> None:
        """A job that failed, jobs that wait, a notice among them, and a mail with a link."""
        database.rows(
            self.pippin,
            f"""
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at, created_at)
            VALUES ('{FULL}', '{JOB}', 'mail.send', 0, '{{"message": "verification", "sealed": "AAAA"}}', now(),
                now() - interval '2 days')
            """,
        )
        database.rows(
            self.pippin,
            f"""
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at, attempts)
            SELECT '{FULL}', repeat(letter, 26), kind, 1, '{{}}', now() + interval '1 day', 12
            FROM (VALUES ('k', 'notification.delivery'), ('m', 'upstream.validation')) AS waiting (letter, kind);
            INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, attempts, job_id)
            VALUES ('{FULL}', repeat('n', 26), 'com.garden.app', 'email-disabled',
                '001122.0123456789abcdef0123456789abcdef.0001', now(), 12, repeat('k', 26));
            """,
        )
        self._until(f"SELECT job_id FROM jobs WHERE team_id = '{FULL}' AND state = 'dead'", 1)
        self.mail = self._until("SELECT mail_id FROM mailbox WHERE recipient = :'to'", 1, to=EVE.email)[0][0]
        self.invitation = self.mailed_link(EVE.email).removeprefix(self.pippin.url)

    def mailed_link(self, recipient: str, kind: str = "") -> str:
        """The link of the newest mail to somebody, of all or of those whose path has `kind` in it."""
        mails = "SELECT mail_id FROM mailbox WHERE recipient = :'to' ORDER BY at DESC, mail_id"

        def found() -> str:
            links = (self._link(mail) for (mail,) in database.rows(self.pippin, mails, to=recipient))
            return next((link for link in links if link and kind in link), "")

        link = until(found, lambda: f"no mail to {recipient} about {kind}")
        self.secrets.add(link.rsplit("/", 1)[1])
        return link

    def _link(self, mail: str) -> str | None:
        """Where a mail leads, which is sealed in the database, so that its page alone tells."""
        state = self.storage_state or self.console.page.context.storage_state()
        cookies = {cookie["name"]: cookie["value"] for cookie in state["cookies"]}
        page = requests.get(f"{self.pippin.url}/console/operator/mailbox/{mail}", cookies=cookies, timeout=SECONDS).text
        link = re.search(r'<a [^>]*href="([^"]*)"[^>]*>(?:<svg.*?</svg>)?\s*Follow its link', page)
        return html.unescape(link[1]) if link else None

    def _event(self, action: str) -> Page:
        page = self.console.open("audit")
        event = page.locator("ul.events > li", has_text=action).first
        event.locator("summary").click()
        event.get_by_role("link", name="Open this event").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(action)
        return page

    def _visitor(self) -> Page:
        context = self.browser.new_context(locale="en-US")
        context.set_default_timeout(PATIENCE_MS)
        return context.new_page()

    def _until(self, statement: str, count: int, **values: str) -> list[list[str]]:
        return database.until(self.pippin, statement, lambda rows: len(rows) >= count, **values)

