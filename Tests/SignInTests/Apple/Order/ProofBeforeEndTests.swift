import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A sign-in at Apple counts from the moment at which its proof arrived here, by whichever door: who has parted since, or is
/// suspended, is not written down again by it.
@Suite(.notifications) struct `V58: A proof from before an end` {
    private static let rita = Performer.regular.subject

    /// Where the proof comes in.
    enum Door: CaseIterable, Sendable {
        case browser, ownPage, nativeCode, nativeToken, backend, repeated

        /// Sets out, as far as Apple's being asked about the code.
        func setOut() throws -> Exchange {
            let given = try site.device(.regular)
            switch self {
            case .browser:
                let browser = site.browser()
                return try browser.set(out: try browser.signInUntilBack())
            case .ownPage:
                let browser = site.browser()
                return try browser.set(out: try browser.accountUntilBack(.regular))
            case .nativeCode, .repeated:
                return try site.setOut("/t/ACMETEAM01/auth/native", given.filter { $0.key != "identity_token" })
            case .nativeToken: return try site.setOut("/t/ACMETEAM01/auth/native", given)
            case .backend:
                return try site.setOut("/t/ACMETEAM01/auth/token", try site.redemption(ofApples: given["code"]))
            }
        }
    }

    /// What comes meanwhile.
    enum End: CaseIterable, Sendable {
        case deleted, deletedThere, stopped, stoppedThere, suspended

        func come(token: String) throws {
            site.clock.advance(by: .seconds(10))
            switch self {
            case .deleted: #expect(try site.client("delete-account", ["sub": rita.rawValue]).status == 202)
            case .deletedThere: #expect(try site.notification(site.event("account-delete")).status == 200)
            case .stopped: #expect(try site.client("revoke", ["token": token]).status == 200)
            case .stoppedThere: #expect(try site.notification(site.event("consent-revoked")).status == 200)
            case .suspended: try site.setSuspended(rita)
            }
        }
    }

    private func written() throws -> [[[String?]]] {
        try [
            "SELECT sub, given_name, family_name, email FROM users WHERE team_id = 'ACMETEAM01' ORDER BY sub",
            "SELECT identifier, sub, state, form_given_name, last_seen_at::text FROM upstream_identities ORDER BY 1",
            "SELECT sub, app_id, given_name, granted_at::text FROM consents WHERE team_id = 'ACMETEAM01' ORDER BY 1, 2",
            "SELECT token_id::text FROM refresh_tokens WHERE team_id = 'ACMETEAM01' AND revoked_at IS NULL ORDER BY 1",
        ].map { try site.admin($0) }
    }

    @Test(arguments: Door.allCases, End.allCases) func `brings nobody back, and writes nothing`(
        _ door: Door, _ end: End
    ) async throws {
        let token = try site.tokens()
        // A person who came to one of the team's own pages has no consent that could end with them.
        if door == .ownPage { try site.browser().openAccount(.regular) }
        var before: [[[String?]]] = []
        let answer: Answer
        if door == .repeated {
            // Apple was in trouble at the first try.
            let given = try site.device(.regular).filter { $0.key != "identity_token" }
            site.script.set(.trouble, at: .token)
            #expect(try site.handOver(given).status == 503)
            try end.come(token: token)
            before = try written()
            for _ in 0..<2 { #expect(try site.handOver(given).json["error"] == "invalid_grant") }
            answer = try site.handOver(given)
        } else {
            let exchange = try await site.hold(while: { try door.setOut() }) {
                try end.come(token: token)
                before = try written()
            }
            answer = try exchange.answer()
        }

        // Who stops using one app is still who they are on their own page.
        guard door != .ownPage || end != .stopped else { return }
        #expect(answer.status == 400 && answer.json["id_token"] == nil && answer.value(of: "code") == nil)
        #expect(try written() == before)

        // Who comes again is here again.
        if end == .suspended { try site.setSuspended(Self.rita, false) }
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        #expect(try site.people() == [Self.rita.rawValue])
    }

    @Test(arguments: [End.deletedThere, .stoppedThere]) func `connects no account`(_ end: End) async throws {
        let own = try site.signedIn()
        let back = try own.connectUntilBack(.regular)
        let exchange = try await site.hold(while: { try own.set(out: back) }) { try end.come(token: "") }
        #expect(try exchange.answer().status != 200)
        #expect(try own.get(Browser.account).status == 200)
        #expect(try site.identities().isEmpty)
        #expect(try own.connect(.regular).body.contains("Apple is connected"))
    }

    /// What is written of somebody suspended who comes to a group of apps that they had not been to.
    @Test(arguments: [true, false]) func `of somebody suspended gives no consent`(_ isNative: Bool) throws {
        try site.browser().openAccount(.regular)
        try site.setSuspended(Self.rita)
        let before = try written()
        if isNative {
            let bare = try site.device(.regular).filter { ["client_id", "code"].contains($0.key) }
            #expect(try site.handOver(bare).json["error"] == "invalid_grant")
        } else {
            #expect(try site.browser().signInAtApple(.regular).value(of: "code") == nil)
        }
        #expect(try written() == before)
        #expect(try site.count("consents", of: Self.rita, in: .acme) == 0)
    }

    @Test func `P17: of somebody suspended keeps the name until they may sign in again`() async throws {
        // Imported under Apple's name for them, so that Apple tells their name now.
        try site.admin("INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', $1)", Self.rita.rawValue)
        try site.setSuspended(Self.rita)
        #expect(try site.browser().signInAtApple(.regular).value(of: "code") == nil)
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try site.count("consents", of: Self.rita, in: .acme) == 0)

        try site.setSuspended(Self.rita, false)
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try site.names() == [["Rita", "Rita", "authorized"]])
        #expect(try site.count("consents", of: Self.rita, in: .acme) == 1)
    }

    @Test func `is another matter at another team`() async throws {
        let given = try site.device(.regular).filter { $0.key != "identity_token" }
        let exchange = try await site.hold(while: { try site.setOut("/t/ACMETEAM01/auth/native", given) }) {
            try site.admin(
                """
                INSERT INTO upstream_unlinks (team_id, provider, identifier_hash, app_id, unlinked_at)
                VALUES ('RIVALTEAM1', 'apple', sha256(convert_to($1, 'UTF8')), '', 'infinity')
                """, Self.rita.rawValue)
        }
        #expect(try exchange.answer().status == 200)
    }
}

extension TestSite {
    /// What a backend that was written for Apple posts.
    func redemption(ofApples code: String?, of client: ClientID = .app) throws -> [String: String] {
        try [
            "client_id": client.rawValue, "client_secret": teams.secret(of: client), "grant_type": "authorization_code",
            "code": #require(code),
        ]
    }
}
