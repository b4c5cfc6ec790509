import Core
import Crypto
import EventLoop
import HTTP
import Platform
import Postgres
import Testing

@testable import TestTeams

/// When the store is gone, when everybody asks at once, and what the log shows of it.
@Suite(.site) struct TroubleTests {
    @Test func `V22: without PostgreSQL apps get 503 with Retry-After in JSON, and people a page`() async throws {
        let (browser, sheet) = try site.sheet()
        let form = try site.redemption(of: "c0")
        let bearer = ["Authorization: Bearer x"]
        let connections = site.teams.connections
        try await site.teams.loop.run { connections.close() }
        let forms = try ProtocolEndpointTests.forms.map { try site.post($0, form) }
        for answer in forms + [
            try site.ask("GET", "/t/ACMETEAM01/auth/userinfo", bearer), try site.ask("GET", "/t/ACMETEAM01/auth/keys"),
            try site.ask("GET", "/t/ACMETEAM01/.well-known/openid-configuration"),
        ] {
            #expect(answer.status == 503 && answer["Retry-After"] == "2")
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
            #expect(answer.body == #"{"error":"temporarily_unavailable"}"#)
        }
        for answer in [
            try site.ask("GET", Browser.authorize()), try browser.send(sheet, [("decision", "continue")]),
            try browser.get(Browser.account),
        ] {
            #expect(answer.status == 503 && answer["Retry-After"] == "2")
            #expect(answer.headline == "Temporarily unavailable" && answer.reference != nil)
        }
    }

    @Test func `a fault of ours names its reference and nothing else`() throws {
        try site.admin("ALTER TABLE keys RENAME TO keys_away")
        let json = try site.post("/t/ACMETEAM01/auth/token", try site.redemption(of: "c0"))
        #expect(json.status == 500 && json.body == #"{"error":"server_error"}"#)
        let page = try site.ask("GET", Browser.authorize())
        #expect(page.status == 500 && page.reference != nil)
        #expect(!page.body.contains("keys_away") && !page.body.contains("relation"))
    }

    @Test func `V36: a thousand failing requests at once each show their own reference`() async throws {
        var references: Set<String> = []
        for batch in 0..<4 {
            let exchanges = try (0..<250).map { index in
                let number = batch * 250 + index
                return (number, try Exchange(port: site.port, "GET", path(number)))
            }
            for (number, exchange) in exchanges {
                let answer = try exchange.answer()
                let reference = try #require(answer.reference)
                let id = try #require(UInt64(reference, radix: 16).map { RequestID($0) })
                let target = try await self.target(of: id)
                #expect(target == path(number))
                references.insert(reference)
            }
        }
        #expect(references.count == 1000)
        let lines = site.lines.all.filter { $0.contains("authorize.refused") }
        for line in lines {
            let request = try #require(JSONLine(line).request)
            let target = try #require(site.lines.targets[request])
            #expect(line.contains(try #require(target.split(separator: "=").last)))
        }
    }

    private struct JSONLine {
        let request: RequestID?

        init(_ line: String) throws {
            let json = try JSON.decode(JSONValue.self, from: Array(line.utf8))
            request = json["request"]?.string.flatMap { UInt64($0, radix: 16) }.map { RequestID($0) }
        }
    }

    /// Requests that fail in different ways, each with its number in the address.
    private func path(_ number: Int) -> String {
        switch number % 4 {
        case 0: "/t/ACMETEAM01/auth/authorize?client_id=com.acme.nobody\(number)"
        case 1: "/t/ACMETEAM01/auth/interactions/0\(number)"
        case 2: "/t/NOSUCHTEAM/auth/authorize?client_id=com.acme.nobody\(number)"
        default: "/t/ACMETEAM01/auth/interactions/0AAAAAAAAAAAAAAAAAA\(1000 + number)?n=\(number)"
        }
    }

    /// What the request of that id asked for; it is noted once its answer has left.
    private func target(of id: RequestID) async throws -> String? {
        try await site.wait(isHasty: false) { site.lines.targets[id] != nil }
        return site.lines.targets[id]
    }

    @Test func `V38, V57: no line of the log and no row shows a token, code, secret, password or cookie`() throws {
        let browser = site.browser()
        let changes = Browser.everything.merging(["response_type": "code id_token"]) { $1 }
        let page = try browser.get(Browser.authorize(changes))
        _ = try browser.signIn(page, password: "a wrong password")
        let sheet = try browser.signIn(page)
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        let code = try #require(exit.value(of: "code"))
        let form = try site.redemption(of: code)
        let tokens = try site.post("/t/ACMETEAM01/auth/token", form)
        _ = try site.post("/t/ACMETEAM01/auth/token", form)
        let secret = try #require(form["client_secret"] ?? nil)
        for changes in [
            ["client_secret": secret + "x"], ["client_id": secret], ["grant_type": secret], ["code": secret],
        ] { _ = try site.post("/t/ACMETEAM01/auth/token", form.merging(changes.mapValues { $0 }) { $1 }) }
        _ = try site.ask("GET", Browser.authorize(["client_id": secret, "state": code]))
        let refreshToken = try #require(tokens.json["refresh_token"]?.string)
        let secrets =
            [
                code, secret, refreshToken, try #require(tokens.json["access_token"]?.string), People.password,
                "a wrong password", try #require(exit.value(of: "id_token")), try #require(page.value(of: "csrf")),
            ] + Array(browser.cookies.values)
        let log = site.lines.all.joined()
        #expect(log.contains("protocol.refused"))
        for secret in secrets { #expect(!log.contains(secret)) }
        try expectNoRow(shows: secrets)
        #expect(!log.contains("eyJ") && !log.contains("BEGIN"))
    }

    @Test func `V38, V57: nor does one of mailed links, second factors and what apps ask with`() async throws {
        let totp = try await site.addTOTP()
        let browser = site.browser()
        let start = try browser.get(Browser.authorize(Browser.everything))
        let recovery = try #require(start.body.firstMatch(of: /href="([^"]+\/recovery)"/)).1
        _ = try browser.send(try browser.get(String(recovery)), [("email", "ada@acme.example")])
        let reset = try site.link()
        for password in ["short", "a brand new password"] {
            _ = try browser.send(try browser.get(reset), [("new", password)])
        }
        _ = try browser.get(reset + "x")
        let asked = try browser.signIn(start, password: "a brand new password").form(to: "/factor")
        for code in ["000000", site.code(of: totp)] {
            _ = try browser.send(asked, [("method", "totp"), ("code", code)])
        }
        let email = try browser.get(Browser.account + "/email")
        let change = [("email", "ada@new.example"), ("current", "a brand new password")]
        _ = try browser.send(email, change)
        let rename = try site.link()
        _ = try browser.get(rename.replacing("ACMETEAM01", with: "RIVALTEAM1"))
        let sheet = try browser.get(asked.action.replacing("/factor", with: ""))
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        let code = try #require(exit.value(of: "code"))
        let form = try site.redemption(of: code)
        let tokens = try site.post(ProtocolEndpointTests.token, form).json
        let kinds = ["access_token", "refresh_token", "id_token"]
        let held = try kinds.map { try #require(tokens[$0]?.string) }
        for token in held {
            for path in ProtocolEndpointTests.forms {
                let asking = ["token": token, "refresh_token": token, "sub": token, "transfer_sub": token]
                _ = try site.post(path, form.merging(asking.mapValues { $0 }) { $1 })
            }
            for field in ["Bearer \(token)", "Bearer \(token)x", token] {
                _ = try site.ask("GET", "/t/ACMETEAM01/auth/userinfo", ["Authorization: \(field)"])
            }
        }
        let links = [reset, rename].compactMap { $0.split(separator: "/").last.map(String.init) }
        let words = ["a brand new password", totp.text, try #require(form["client_secret"] ?? nil)]
        let log = site.lines.all.joined()
        #expect(log.contains("protocol.refused"))
        let secrets = held + links + words + [code] + Array(browser.cookies.values)
        for secret in secrets { #expect(!log.contains(secret), "\(secret.prefix(12))") }
        try expectNoRow(shows: secrets)
        #expect(!log.contains("eyJ") && !log.contains("BEGIN") && !log.contains("$argon2id$"))
    }

    /// Looks for secrets in every row of the database, as they are written and as octets.
    private func expectNoRow(shows secrets: [String]) throws {
        let rows = try site.admin(
            """
            SELECT query_to_xml(format('SELECT kept::text FROM %I AS kept', tablename), true, true, '')::text
            FROM pg_tables WHERE schemaname = 'public'
            """)
        let text = rows.compactMap { $0[0] }.joined()
        #expect(text.contains("ada@acme.example") && text.contains("\\x"))
        for secret in secrets {
            let octets = [Array(secret.utf8), Base64URL.decode(secret) ?? []].map { Hex.encode($0) }
            for form in [secret] + octets where !form.isEmpty && text.contains(form) {
                Issue.record("\(secret.prefix(12))")
            }
        }
    }
}
