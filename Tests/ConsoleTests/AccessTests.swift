import Platform
import Postgres
import SignIn
import Testing

@testable import Console
@testable import HTTP

/// Walks every mounted route with everybody, so that none can be forgotten.
@Suite(.environment) struct `Who may ask for a page` {
    /// What stands for the values in a path; those that exist are seeded.
    private static let samples = [
        "document": "discovery", "team": "ACMETEAM01", "app": "com.acme.app", "service": "com.acme.web",
        "key": "ACMEKEY001", "domain": "acme.example", "source": "acme.example",
        "trace": String(repeating: "0", count: 28), "refresh": "000102030405060708090a0b0c0d0e0f",
        "token": String(repeating: "A", count: 43), "testsignin": "AAAAAAAAAAAAAAAAAAAAAA",
        "notification": String(repeating: "a", count: 26), "transfer": String(repeating: "a", count: 26),
        "appletoken": String(repeating: "0", count: 32), "invitation": "ACMEINVIT1", "part": "team",
        "job": String(repeating: "a", count: 26), "mail": String(repeating: "a", count: 26),
        "event": "1763650000000000-none",
    ]
    /// Values for which the sample names nothing.
    private static let unknown: Set<String> = ["token", "testsignin", "trace", "event", "transfer"]
    private static let expired = "This form has expired"
    private static let noCookie = "Your browser sent no cookie"
    private static let notAllowed = "Your role does not allow this"

    @Test func `V27: every route asks what it declares`() async throws {
        let ada = try await environment.addAda()
        try seedRegistry()
        let everybody = try await environment.everybody()

        #expect(environment.mounted.count >= 12)
        for route in environment.mounted {
            let member = route.pattern.contains("/members/") ? everybody["developer"]?.subject : nil
            let path = try path(of: route, subject: member ?? ada)
            for (name, visitor) in everybody {
                var visitor = visitor
                let answer =
                    route.method == .get ? try await visitor.get(path) : try await visitor.post(path, csrf: "wrong")
                let reaction = reaction(answer)
                #expect(reaction == expected(route, name), "\(route.method) \(route.pattern) for \(name)")
            }
        }
    }

    @Test func `V55: what is over 16 KiB is read for an account alone`() async throws {
        let entries = Console(environment.parts.services, environment.parts.options).routes(on: Router()).router.entries
            .filter { $0.method != .get }
        let open = environment.mounted.filter { $0.method != .get && $0.access == .everybody }
        // Without an admission check the server reads no longer body.
        let unasked = entries.filter { $0.action.options.admission == nil }
        #expect(Set(unasked.map(\.action.pattern)) == Set(open.map(\.pattern)) && unasked.count < entries.count)
    }

    @Test func `V28: every route of a team stays shut when the team is another's, deleted or the system's`()
        async throws
    {
        let ada = try await environment.addAda()
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner, .system: .operator])
        try environment.markDeleted(.rival)

        for team in ["RIVALTEAM1", "PIPPIN0000", "NOSUCHTEAM", "acmeteam01"] {
            for route in environment.mounted where route.pattern.hasPrefix("/console/:team") {
                let path = try path(of: route, subject: ada, team: team)
                let answer = route.method == .get ? try await owner.get(path) : try await owner.post(path)
                #expect(answer.status == 404, "\(route.method) \(path)")
                #expect(!answer.text.contains("Rival"))
            }
        }
    }

    /// Rows of Acme under Rival's own addresses, asked for by Rival's owner.
    @Test func `V28: what another team has does not exist among one's own`() async throws {
        let ada = try await environment.addAda()
        try seedRegistry()
        let everybody = try await environment.everybody()
        let member = try #require(everybody["developer"]?.subject)
        var owner = try #require(everybody["Rival’s owner"])
        // Those values name something that every team has.
        let common = Set(["team", "part"])

        for route in environment.mounted where route.pattern.hasPrefix("/console/:team") {
            let values = route.pattern.split(separator: "/").filter { $0.hasPrefix(":") }
            guard values.contains(where: { !common.contains(String($0.dropFirst())) }) else { continue }
            let subject = route.pattern.contains("/members/") ? member : ada
            let path = try path(of: route, subject: subject, team: "RIVALTEAM1")
            let answer =
                route.method == .get
                ? try await owner.get(path)
                : try await owner.post(path, [("confirmation", "com.acme.app"), ("reason", "none")])
            #expect(answer.status == 404, "\(route.method) \(path): \(answer.status)")
            #expect(!answer.text.contains("Acme") && !answer.text.contains("Ada"), "\(path)")
        }
        #expect(try environment.count("users") == 8 && environment.count("refresh_tokens") == 1)
    }

    /// Pages that a role may look at, what it may not post below them, and what only an owner's page offers.
    private static let readable: [(role: Role, path: String, posts: [String], offer: String?)] = [
        (.auditor, "checkup", [""], nil), (.auditor, "notifications", [""], nil),
        (.auditor, "notifications/" + String(repeating: "a", count: 26), ["/replays"], nil),
        (.auditor, "apple-tokens", ["/" + String(repeating: "0", count: 32) + "/retries"], nil),
        (.auditor, "domains/acme.example", ["/checks"], "Check now"),
        (.developer, "apple-keys/ACMEKEY001", ["", "/deletion"], nil),
        (.developer, "email-sources/acme.example", ["", "/checks", "/deletion"], nil),
        (.developer, "signing-keys", ["/rotations", "/replacement"], "Replace all keys"),
        (.admin, "not-before", [""], "Revoke these tokens"),
    ]

    @Test func `V27: whoever may only look at a page is offered no change, and makes none`() async throws {
        _ = try await environment.addAda()
        try seedRegistry()
        try await environment.addSigningKey()
        let everybody = try await environment.everybody()
        for (role, path, posts, offer) in Self.readable {
            var (owner, member) = (try #require(everybody["owner"]), try #require(everybody[role.rawValue]))
            let address = "/console/ACMETEAM01/\(path)"
            let page = try await member.get(address)
            #expect(page.status == 200, "\(path)")
            if let offer {
                #expect(try await owner.get(address).text.contains(offer) && !page.text.contains(offer), "\(path)")
            }
            for post in posts { #expect(try await member.post(address + post).status == 403, "\(path)\(post)") }
        }
        var (auditor, developer) = (try #require(everybody["auditor"]), try #require(everybody["developer"]))
        #expect(try await developer.post("/console/ACMETEAM01/apple-keys").status == 403)
        #expect(try await auditor.post("/console/ACMETEAM01/checks/app-ids").status == 403)
        let operators = environment.mounted.filter { $0.pattern.hasPrefix("/console/operator") }
        #expect(!operators.isEmpty && operators.allSatisfy { $0.access == .operators })
    }

    @Test func `signing in leads back to the page that was asked for`() async throws {
        _ = try await environment.signedIn("Olive", [.system: .operator])
        var nobody = Browser()

        let answer = try await nobody.get("/console/ACMETEAM01/users?q=ada%40acme.example")

        #expect(answer.status == 303)
        #expect(
            answer.location
                == "/t/PIPPIN0000/account/session?next=%2Fconsole%2FACMETEAM01%2Fusers%3Fq%3Dada%2540acme.example")
    }

    private enum Reaction: String {
        case signIn
        case hidden
        case forbidden
        case open
        case expired
        case gone
        case other
    }

    private func reaction(_ answer: Browser.Answer) -> Reaction {
        switch answer.status {
        case 303 where answer.location?.hasPrefix("/t/PIPPIN0000/account/session") == true: .signIn
        case 404: .hidden
        case 410: .gone
        case 403 where answer.text.contains(Self.notAllowed): .forbidden
        case 403 where answer.text.contains(Self.expired) || answer.text.contains(Self.noCookie): .expired
        case 200: .open
        default: .other
        }
    }

    private func expected(_ route: MountedRoute, _ name: String) -> Reaction {
        let inside: Reaction = route.takesToken ? .expired : .open
        let namesNothing = Self.unknown.contains { route.pattern.contains(":\($0)") }
        switch route.access {
        case .everybody: return route.method == .get ? .gone : .expired
        case .account: return name == "nobody" ? .signIn : inside
        case .operators: return name == "nobody" ? .signIn : name == "operator" ? inside : .hidden
        case .members(let right):
            if name == "nobody" { return .signIn }
            guard let role = Role(rawValue: name), role != .operator else { return .hidden }
            guard role.rights.contains(right) else { return .forbidden }
            // A form without a token of ours, such as an answer to a trial, is judged by what it names.
            return namesNothing && (inside == .open || route.pattern.hasSuffix("/callback")) ? .hidden : inside
        }
    }

    private func path(of route: MountedRoute, subject: Subject, team: String? = nil) throws -> String {
        var samples = Self.samples
        samples["sub"] = subject.rawValue
        if let team { samples["team"] = team }
        return try route.pattern.split(separator: "/").reduce("") { path, segment in
            guard segment.hasPrefix(":") else { return "\(path)/\(segment)" }
            let name = String(segment.dropFirst())
            return "\(path)/\(try #require(samples[name], "no sample for :\(name) of \(route.pattern)"))"
        }
    }

    private func seedRegistry() throws {
        try AdminConnection(to: environment.conninfo).execute(
            """
            INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time)
            VALUES ('ACMETEAM01', repeat('a', 26), 'com.acme.app', 'consent-revoked', 'x', now());
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            VALUES ('ACMETEAM01', repeat('a', 26), 'test.errand', 1, '{}', now());
            INSERT INTO mailbox (team_id, mail_id, of_team, message, recipient, subject, body_text, body_html)
            VALUES ('PIPPIN0000', repeat('a', 26), 'ACMETEAM01', 'plain', 'ada@acme.example', '', '', '');
            INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ('ACMETEAM01', 'com.acme.web', 'service');
            INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
            VALUES ('ACMETEAM01', 'com.acme.web', 'com.acme.app', 1, 'Acme Web');
            INSERT INTO service_domains (team_id, service_id, domain)
            VALUES ('ACMETEAM01', 'com.acme.web', 'acme.example');
            INSERT INTO email_sources (team_id, source, kind, rank)
            VALUES ('ACMETEAM01', 'acme.example', 'domain', 1);
            INSERT INTO apple_keys (
                team_id, key_id, apple_team_id, name, app_id, rank, fingerprint, private_key_sealed
            ) VALUES ('ACMETEAM01', 'ACMEKEY001', 'ABCDE12345', 'Apple', 'com.acme.app', 1, '', '');
            INSERT INTO apple_connections (team_id, app_id, services_id, key_id)
            VALUES ('ACMETEAM01', 'com.acme.app', 'com.acme.siwa', 'ACMEKEY001');
            INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint)
            VALUES ('ACMETEAM01', 'ACMEKEY001', 'CI', 'com.acme.app', 1, '', 'SHA256:0');
            """)
    }
}
