import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import SignIn
import Testing

@testable import Console

@Suite(.environment) struct `Users` {
    @Test func `are found by address and name, page by page and back`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])
        for number in 100..<160 { _ = try await environment.add("Ada\(number)", to: .acme) }
        _ = try await environment.add("Cleo", to: .acme)

        let first = try await owner.get("/console/ACMETEAM01/users?q=ada1")
        let next = try #require(Self.link("next", in: first.text))
        let second = try await owner.get(next)
        let back = try await owner.get(try #require(Self.link("prev", in: second.text)))

        #expect(Self.rows(first) == 50)
        #expect(first.text.contains("60 users") && !first.text.contains("rel=\"prev\""))
        #expect(Self.rows(second) == 10)
        #expect(Self.link("next", in: second.text) == nil)
        #expect(back.text.contains(">Ada159</a>"))
        #expect(try await owner.get("/console/ACMETEAM01/users?q=CLEO@acme").text.contains(">Cleo</a>"))
        #expect(try await owner.get("/console/ACMETEAM01/users?q=%3Cb%3E").text.contains("“&lt;b&gt;”"))
        #expect(try await owner.get("/console/ACMETEAM01/users?after=1.x%20y").status == 400)
    }

    @Test func `are marked where nothing can be mailed to their address`() async throws {
        let ada = try await environment.addAda()
        try environment.admin(
            """
            INSERT INTO upstream_identities (
                team_id, provider, identifier, sub, form_given_name, form_family_name, form_received_at, state_at,
                created_at, last_seen_at
            ) VALUES ('ACMETEAM01', 'apple', $1, $1, '小明', '王', now(), now(), now(), now())
            """, ada.rawValue)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let path = ConsoleRoutes.user.link(TeamID.acme, ada)
        let before = try await admin.get(path).text
        try environment.admin("UPDATE users SET email = 'taro..yamada@docomo.ne.jp' WHERE team_id = 'ACMETEAM01'")
        let after = try await admin.get(path).text

        #expect(after.contains("taro..yamada@docomo.ne.jp") && after.contains("mail can’t be sent to it"))
        #expect(!before.contains("mail can’t be sent to it") && before.contains("王小明<br>"))
    }

    @Test func `are found and shown by the letters of their domain`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])
        _ = try await environment.add("Cleo", to: .acme)
        try environment.admin("UPDATE users SET email = 'cleo@xn--mnchen-3ya.example' WHERE given_name = 'Cleo'")
        for term in ["cleo@münchen.example", "CLEO@MÜNCHEN.example", "cleo@xn--mnchen-3ya"] {
            let found = try await owner.get("/console/ACMETEAM01/users?q=\(PercentCoding.encode(term))").text
            #expect(found.contains(">Cleo</a>") && found.contains("cleo@münchen.example"), "\(term)")
        }
    }

    @Test func `show what apps hold of them, and who may change it`() async throws {
        let ada = try await environment.addAda()
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        var auditor = try await environment.signedIn("auditor", [TeamID.acme: .auditor])
        let path = ConsoleRoutes.user.link(TeamID.acme, ada)

        let full = try await admin.get(path).text
        let read = try await auditor.get(path).text

        #expect(full.contains("Name and email address") && full.contains("Refresh token"))
        #expect(full.contains("Sign out everywhere") && full.contains("Delete this user"))
        #expect(read.contains("Name and email address"))
        #expect(!read.contains("Sign out everywhere") && !read.contains("Delete this user"))
    }

    @Test func `are signed out everywhere, and lose a consent with its tokens`() async throws {
        let ada = try await environment.addAda()
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let path = ConsoleRoutes.user.link(TeamID.acme, ada)

        let sheet = try await admin.get(UserRoutes.signOut.link(TeamID.acme, ada)).text
        #expect(sheet.contains("1 session of Ada ends"))
        let without = try await admin.post(UserRoutes.signOut.link(TeamID.acme, ada))
        #expect(without.status == 422 && without.text.contains("Say why, for the audit log"))
        #expect(try environment.count("sessions WHERE team_id = 'ACMETEAM01'") == 1)
        let out = try await admin.post(UserRoutes.signOut.link(TeamID.acme, ada), [("reason", "A lost phone")])
        let end = try await admin.post("\(path)/consents/com.acme.app/end", [("reason", "As she asked")])

        #expect(out.location == path && end.location == path)
        let reasons = try environment.admin(
            "SELECT after->>'reason' FROM audit_events WHERE action IN ('sessions.ended', 'consent.ended') ORDER BY at")
        #expect(reasons == [["A lost phone"], ["As she asked"]])
        #expect(try environment.count("sessions WHERE team_id = 'ACMETEAM01'") == 0)
        #expect(try environment.count("consents") == 0)
        #expect(try environment.count("refresh_tokens WHERE revoked_at IS NULL") == 0)
        #expect(try environment.allActions(in: .acme).suffix(2) == ["sessions.ended", "consent.ended"])
    }

    @Test func `are deleted only with the typed confirmation and a reason`() async throws {
        let ada = try await environment.addAda()
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let path = UserRoutes.deletion.link(TeamID.acme, ada)

        let without = try await admin.post(path, [("confirmation", "ada"), ("reason", "")])
        #expect(without.status == 422)
        #expect(without.text.contains("Say why, for the audit log") && without.text.contains("value=\"ada\""))
        #expect(try environment.count("users WHERE team_id = 'ACMETEAM01'") == 1)

        let with = try await admin.post(path, [("confirmation", "ada@acme.example"), ("reason", "She asked")])
        #expect(with.location == "/console/ACMETEAM01/users")
        #expect(try environment.count("users WHERE team_id = 'ACMETEAM01'") == 0)
        let log = try await admin.get("/console/ACMETEAM01/audit").text
        #expect(log.contains("User deleted") && log.contains("She asked"))
    }

    @Test func `lose one token, or all of them, and keep their consents`() async throws {
        let ada = try await environment.addAda()
        try environment.admin(
            """
            INSERT INTO refresh_tokens (
                team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, created_at, last_used_at
            ) SELECT 'ACMETEAM01', decode(md5(name), 'hex'), $1, 'com.acme.app', name, trial, now(), now(), now()
            FROM (VALUES ('com.acme.web', NULL), ('com.acme.tried', 'a trial')) AS given (name, trial)
            """, ada.rawValue)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let path = ConsoleRoutes.user.link(TeamID.acme, ada)
        let live = "refresh_tokens WHERE revoked_at IS NULL AND test_sign_in_id IS NULL"

        let page = try await admin.get(path).text
        let id = try #require(RefreshTokenID(rawValue: "000102030405060708090a0b0c0d0e0f"))
        let revocation = UserRoutes.tokenRevocation.link(TeamID.acme, ada, id)
        let one = try await admin.post(revocation, [("reason", "Leaked")])
        #expect(page.contains("com.acme.web") && !page.contains("com.acme.tried"))
        #expect(one.location == path)
        #expect(try environment.count(live) == 1)
        #expect(try await admin.post(revocation, [("reason", "Leaked")]).status == 404)

        let all = try await admin.post(UserRoutes.tokenRevocations.link(TeamID.acme, ada), [("reason", "All")])
        #expect(all.location == path)
        #expect(try environment.count(live) == 0)
        #expect(try environment.count("consents") == 1)
        #expect(try environment.allActions(in: .acme).suffix(2) == ["token.revoked", "tokens.revoked"])
    }

    @Test func `are suspended with a reason, signed out, and let in again`() async throws {
        let ada = try await environment.addAda()
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let suspension = UserRoutes.suspension.link(TeamID.acme, ada)

        let without = try await admin.post(suspension, [("suspension_reason", " ")])
        #expect(without.status == 422 && without.text.contains("Say why, for the audit log"))
        _ = try await admin.post(suspension, [("suspension_reason", "Stolen telephone")])
        let suspended = try await admin.get(ConsoleRoutes.user.link(TeamID.acme, ada)).text
        #expect(suspended.contains("Suspended") && suspended.contains("Unsuspend this user"))
        #expect(try environment.count("sessions WHERE team_id = 'ACMETEAM01'") == 0)

        _ = try await admin.post(UserRoutes.suspensionEnd.link(TeamID.acme, ada))
        let lifted = try await admin.get(ConsoleRoutes.user.link(TeamID.acme, ada)).text
        #expect(lifted.contains("Active") && lifted.contains("Suspend this user"))
        #expect(try environment.allActions(in: .acme).suffix(2) == ["user.suspended", "user.unsuspended"])
    }

    @Test func `S36, V45: who are suspended at the console are signed out at once, for good`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let subject = try #require(ada.subject)
        let page = ConsoleRoutes.overview.link(TeamID.acme)
        #expect(try await ada.get(page).status == 200)
        let suspensions = UserSuspensionStore(environment.parts.database)
        let isSuspended = try await suspensions.suspend(
            subject, because: "left the company", in: .system, by: .system("test"), from: TestEnvironment.origin)
        #expect(isSuspended)
        #expect(try await ada.get(page).status == 303)
        #expect(try environment.count("sessions") == 0)

        _ = try await suspensions.unsuspend(of: subject, in: .system, by: .system("test"), from: TestEnvironment.origin)
        #expect(try await ada.get(page).status == 303)
    }

    @Test func `are handed out as one file without secrets, which is recorded`() async throws {
        let ada = try await environment.addAda()
        _ = try await environment.add("Ben", to: .acme)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        var developer = try await environment.signedIn("developer", [TeamID.acme: .developer])
        let path = UserRoutes.export.link(TeamID.acme, ada)

        let answer = try await admin.post(path)
        let json = try JSON.decode(JSONValue.self, from: Array(answer.text.utf8))

        #expect(answer["content-type"] == "application/json" && answer["cache-control"] == "no-store")
        #expect(answer["content-disposition"]?.hasPrefix("attachment; filename=\"ACMETEAM01-") == true)
        #expect(json["user"]?["email"]?.string == "ada@acme.example")
        #expect(answer.text.contains("com.acme.app") && !answer.text.contains("ben@acme.example"))
        #expect(!answer.text.contains("000102030405060708090a0b0c0d0e0f"))
        #expect(try environment.allActions(in: .acme).last == "user.exported")
        #expect(try await developer.post(path).status == 403)
    }

    @Test func `leave nothing with the inspector once they are deleted`() async throws {
        let ada = try await environment.addAda()
        let trace = TraceID(ofRequest: "0123456789abcdef", at: environment.now)
        try environment.admin(
            "INSERT INTO traces (team_id, trace_id, sub, outcome, opening) VALUES ('ACMETEAM01', $1, $2, 'answered', $3)",
            trace.rawValue, ada.rawValue, #"{"kind":"authorization","at":0}"#)
        try environment.admin(
            "INSERT INTO trace_events (team_id, trace_id, at, kind, event) VALUES ('ACMETEAM01', $1, now(), 'answered', '{}')",
            trace.rawValue)
        var admin = try await environment.signedIn("admin", [TeamID.acme: .admin])
        let page = try await admin.get(ConsoleRoutes.user.link(TeamID.acme, ada)).text
        #expect(page.contains(ConsoleRoutes.trace.link(TeamID.acme, trace)))

        _ = try await admin.post(
            UserRoutes.deletion.link(TeamID.acme, ada), [("confirmation", "ada@acme.example"), ("reason", "She asked")])

        #expect(try environment.count("traces") == 0)
        #expect(try environment.count("trace_events") == 0)
    }

    private static func rows(_ answer: Browser.Answer) -> Int {
        answer.text.components(of: "<code class=\"clip\">") - 1
    }

    /// The address of the link to the page before or after.
    private static func link(_ rel: String, in text: String) -> String? {
        for tag in text.split(separator: "<") where tag.contains("rel=\"\(rel)\"") {
            let parts = tag.split(separator: "\"")
            guard let index = parts.firstIndex(where: { $0.hasSuffix("href=") }) else { continue }
            return String(parts[index + 1]).replacing("&amp;", with: "&")
        }
        return nil
    }
}

extension String {
    /// How many pieces `separator` cuts the text into.
    fileprivate func components(of separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
