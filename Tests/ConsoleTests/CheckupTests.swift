import Core
import Crypto
import HTTP
import Platform
import SignIn
import Simulator
import Testing

@testable import Accounts
@testable import Console
@testable import Federation
@testable import OAuth

@Suite struct `A team’s check-up` {
    private static let address = CheckupPages.checkup.link(TeamID.acme)
    private static let pair = P256SigningKey.generate()

    /// Connects Acme's app, and registers it at the simulator or not.
    private func connect(_ browser: inout Browser, registers: Bool) async throws {
        try environment.openAppleSide()
        _ = try await environment.addAcmeWeb()
        try await browser.connectAcme(Self.pair)
        guard registers else { return }
        _ = try await browser.post("/console/ACMETEAM01/apple/com.acme.app/simulator", [])
    }

    @Test(.environment) func `finds what is in order, live`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await connect(&admin, registers: true)
        #expect(try await admin.get(Self.address).text.contains("Not run yet"))

        let answer = try await admin.post(Self.address, [])

        #expect(answer.status == 200)
        for sentence in [
            "The Apple simulator answers", "Apple accepted the key and knows these 2 clients",
            "Apple opens its sign-in page for", "and the addresses this version knows",
            "but only this machine reaches it", "is not forwarded to people who hid theirs",
        ] { #expect(answer.text.contains(sentence), "\(sentence)") }
        #expect(!answer.text.contains("invalid_client"))

        // A team that Apple leads to is told where nobody new is admitted.
        try environment.setIdentitySources("directory,apple")
        let closed = "whom this team does not know yet cannot sign in with Apple"
        #expect(!answer.text.contains(closed))
        for policy in ["off", "invitation"] {
            try environment.setRegistration(policy)
            #expect(try await admin.post(Self.address, []).text.contains(closed), "\(policy)")
        }

        // Apple's keys are spoken of where a Service ID has Apple's issuer.
        #expect(!answer.text.contains("Apple’s keys in /auth/keys"))
        try environment.admin("UPDATE service_ids SET issuer = 'apple' WHERE team_id = 'ACMETEAM01'")
        for (setting, words) in [("automatic", "They are left out"), ("always", "passes, whatever"), ("off", nil)] {
            try environment.admin("UPDATE teams SET apple_keys = $1 WHERE team_id = 'ACMETEAM01'", setting)
            let text = try await admin.post(Self.address, []).text
            #expect(text.contains("Apple’s keys in /auth/keys") == (words != nil), "\(setting)")
            #expect(words.map(text.contains) ?? true, "\(setting)")
        }
        let line = try #require(Self.pair.pem.split(separator: "\n").dropFirst().first)
        #expect(!answer.text.contains(line))
    }

    @Test(.environment) func `compares the clock with Apple's`() async throws {
        let checkup = InstallationCheckup(
            environment.parts.server, apple: environment.parts.apple, client: environment.client,
            mail: environment.mailServerCheck)
        for (ahead, words) in [(0, "agrees with Apple’s"), (-30, "agrees"), (31, "ahead of"), (-31, "behind")] {
            let moment = environment.now - .seconds(ahead)
            let finding = checkup.clock(ApplePublication(discovery: [:], keys: [:], clock: moment))
            #expect(finding.verdict == (abs(ahead) <= 30 ? .good : .wrong), "\(ahead)")
            #expect(environment.parts.site.text(finding.message).contains(words), "\(ahead)")
        }
    }

    @Test(.environment) func `tells the operator of a proxy that was not named, and nobody else`() async throws {
        func found(_ lacksProxy: Bool, for reader: InstallationCheckup.Reader) async -> [Finding] {
            let checkup = InstallationCheckup(
                environment.parts.server, apple: environment.parts.apple, client: environment.client,
                mail: environment.mailServerCheck, lacksProxy: lacksProxy)
            return await checkup.run(needsApple: false, for: reader).filter {
                environment.parts.site.text($0.subject) == "Proxy"
            }
        }

        let findings = await found(true, for: .operator)
        #expect(findings.map(\.verdict) == [.wrong])
        let advice = findings.flatMap(\.advice).map { environment.parts.site.text($0) }.joined()
        #expect(advice.contains("--trusted-proxy"))
        #expect(await found(true, for: .team).isEmpty)
        #expect(await found(false, for: .operator).isEmpty)
    }

    /// Whatever stands in a setting of the server: its members see it on no page.
    @Test(.environment(certificateFile: "/srv/secret/fullchain.pem"))
    func `S20: shows a team no path of the server's files`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let answer = try await admin.post(Self.address, [])
        #expect(answer.status == 200 && !answer.text.contains("/srv") && !answer.text.contains("tls-cert"))
        var owner = try await environment.signedIn("Olive", [TeamID.acme: .owner, .system: .operator])
        #expect(try await owner.post(Self.address, []).text.contains("/srv/secret/fullchain.pem"))
    }

    @Test(.environment) func `finds nothing wrong in Apple’s silence before a team is connected`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])

        let answer = try await admin.post(Self.address, [])

        #expect(answer.text.contains("Apple does not answer"))
        #expect(answer.text.contains("Nothing is wrong."))
    }

    @Test(.environment) func `says which value to look at, and what to enter at Apple`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await connect(&admin, registers: false)
        try environment.setIdentitySources("apple")
        try environment.admin(
            """
            INSERT INTO email_sources (team_id, source, kind, rank, records, checked_at)
            VALUES ('ACMETEAM01', 'mail.example', 'domain', 1, '[]', now())
            """)

        let text = try await admin.post(Self.address, []).text

        #expect(text.contains("AuthKey_KEY1234567.p8"))
        #expect(text.contains("or were changed since: press “Register these values at the simulator”"))
        #expect(text.contains("Apple shows an error in place of its sign-in page (status 400)"))
        #expect(text.contains("the simulator does not know \(environment.publicURL)/t/ACMETEAM01/auth/callback/apple"))
        #expect(text.contains("Mail from mail.example"))
        #expect(text.contains("Needs attention"))
    }

    @Test(.environment)
    func `calls a developer’s own machine fine for a sandbox, unless the team asks for proof of it`() async throws {
        try environment.setMode("sandbox")
        var admin = try await environment.acmeWeb("Ada", .admin)
        try environment.admin("UPDATE domains SET domain = 'app.localhost' WHERE team_id = 'ACMETEAM01'")
        let page = "/console/ACMETEAM01/domains/app.localhost"

        let checkup = try await admin.post(Self.address, []).text
        let overview = try await admin.get("/console/ACMETEAM01").text
        #expect(checkup.contains("File on app.localhost") && !checkup.contains("port 443 to the Internet"))
        #expect(checkup.contains("Nothing to do: this is a developer’s own machine"))
        #expect(checkup.contains("In production a domain is a public name over https"))
        #expect(!overview.contains("Domain not verified"))
        #expect(try await admin.get(page).text.contains("Nothing to do: this is a developer’s own"))

        try environment.requireVerifiedDomains()
        let strict = try await admin.post(Self.address, []).text
        #expect(strict.contains("serve the file at http://app.localhost/"))
        #expect(try await admin.get("/console/ACMETEAM01").text.contains("Domain not verified"))
    }

    @Test(.environment) func `says that nobody can sign in, and that Apple is silent`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try environment.setIdentitySources("apple")
        environment.script.set(.trouble, at: .discovery)

        let text = try await admin.post(Self.address, []).text

        #expect(text.contains("no App ID is connected, so sign-ins fail"))
        #expect(text.contains("Apple does not answer"))
        #expect(text.contains("1 thing is wrong"))
    }

    @Test(.environment) func `says what ends soon, and whether Apple reached the address for its notifications`()
        async throws
    {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await connect(&admin, registers: true)
        #expect(try await admin.post(Self.address, []).text.contains("Keys from Apple have no end"))
        try environment.admin(
            """
            INSERT INTO client_secret_ends (team_id, client_id, ends_at, seen_at)
            SELECT 'ACMETEAM01', identifier, now() + interval '9 days', now() FROM service_ids WHERE team_id = 'ACMETEAM01'
            """)
        try environment.admin(
            """
            INSERT INTO upstream_notifications (team_id, provider, notification_hash, app_id, events, received_at)
            VALUES ('ACMETEAM01', 'apple', '\\x00', 'com.acme.app', '[]', now())
            """)

        let text = try await admin.post(Self.address, []).text

        #expect(text.contains("Client secret of com.acme.web"))
        #expect(text.contains("The app keeps a client secret that ends"))
        #expect(text.contains("auth/notifications/apple: its last notification came"))
        #expect(!text.contains("Keys from Apple have no end"))
        #expect(text.contains("Return URLs on acme.example"))
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"), ("Sun, 06 Nov 1994", nil),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("", nil),
    ]) func `reads Apple’s clock`(text: String, expected: String?) {
        #expect(HTTPDate(text)?.moment.description == expected)
    }
}
