import Accounts
import Core
import Directory
import EventLoop
import HTTP
import Platform
import Registry
import SignIn
import TestMail
import TestTeams
import Testing

@testable import Console

/// What operators learn of the mail server, and owners of mail that does not go out.
@Suite struct `The mail server` {
    private static let health = "/console/operator"
    private static let test = "/console/operator/test-mail"
    private static let friendly = LentMailServer()
    private static let strict = LentMailServer(answers: ["RCPT": "554 5.7.1 relaying denied"])
    private static let absent = "smtp://127.0.0.1:1"

    @Test(.environment(mailServer: friendly.url)) func `takes a test mail`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        #expect(try await ops.get(Self.health).text.contains("value=\"ops@"))

        let answer = try await ops.post(Self.test, [("email", "Ada@acme.example")])

        #expect(answer.status == 303)
        #expect(try await ops.get(Self.health).text.contains("accepted the mail to Ada@acme.example"))
        #expect(Self.friendly.server.received.commands.contains("RCPT TO:<Ada@acme.example>"))
        #expect(Self.friendly.server.received.message.contains("Subject: Test mail from Pippin"))
        #expect(try environment.allActions(in: .system).contains("mail.tested"))
    }

    @Test(
        .environment(mailServer: strict.url),
        arguments: [
            ("ada@acme.example", "the mail server says 554 5.7.1 relaying denied"), ("ada", "Enter an address such as"),
        ]) func `refuses one, and the page says how and keeps what was typed`(email: String, words: String) async throws
    {
        var ops = try await environment.signedIn("ops", [.system: .operator])

        let answer = try await ops.post(Self.test, [("email", email)])

        #expect(answer.status == 422)
        #expect(answer.text.contains(words) && answer.text.contains("value=\"\(email)\""))
        #expect(!(try environment.allActions(in: .system).contains("mail.tested")))
    }

    @Test(.environment) func `is none, and there is nothing to test`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        #expect(!(try await ops.get(Self.health).text.contains(Self.test)))
        #expect(try await ops.post(Self.test, [("email", "ada@acme.example")]).status == 303)
    }

    /// What the check-up says to a reader, of the mail server alone.
    private func findings(for reader: InstallationCheckup.Reader = .operator) async -> [(Finding.Verdict, String)] {
        let (site, parts) = (environment.parts.site, environment.parts)
        let checkup = InstallationCheckup(
            parts.server, apple: parts.apple, client: environment.client, mail: environment.mailServerCheck)
        return await checkup.run(needsApple: false, for: reader).filter { site.text($0.subject) == "Mail server" }.map {
            ($0.verdict, site.text($0.message))
        }
    }

    @Test(.environment(mailServer: friendly.url)) func `is greeted by the check-up, for operators alone`() async throws
    {
        let found = try #require(await findings().first)
        #expect(found.0 == .good && found.1.contains("\(Self.friendly.url) answers"))
        #expect(await findings(for: .team).isEmpty)
    }

    @Test(.environment(mailServer: absent)) func `does not answer, and the check-up says so`() async throws {
        let found = try #require(await findings().first)
        #expect(found.0 == .wrong && found.1.contains("the connection is refused"))
    }

    @Test(.environment) func `takes no mail, and its team's overview says since when and why`() async throws {
        for (team, attempts) in [("ACMETEAM01", "3"), ("RIVALTEAM1", "2")] {
            try environment.admin(
                """
                INSERT INTO jobs (team_id, job_id, kind, priority, attempts, payload, problem, due_at)
                VALUES ($1, repeat('a', 26), 'mail.send', 0, $2::integer, '{}', 'the mail server says 553 5.7.1',
                    now() + interval '1 day')
                """, team, attempts)
        }
        var owner = try await environment.signedIn("owner", [.acme: .owner, .rival: .owner])

        #expect(try await owner.get("/console/ACMETEAM01").text.contains("the mail server says 553 5.7.1"))
        #expect(!(try await owner.get("/console/RIVALTEAM1").text.contains("the mail server says")))
        var ops = try await environment.signedIn("ops", [.system: .operator])
        #expect(try await ops.get(Self.health).text.contains("2 mails did not go out and are tried again"))
    }
}

/// A mail server for several tests, which ends with the process.
private struct LentMailServer: Sendable {
    let server: MailServer
    var url: String { "smtp://127.0.0.1:\(server.port)" }

    init(answers: [String: String] = [:]) {
        let server = MailServer(MailServer.Manners(answers: answers))
        self.server = server
        do {
            let loop = try EventLoop(name: "mail-server")
            try loop.start()
            loop.execute { server.serve() }
        } catch { preconditionFailure("a loop starts") }
    }
}

extension TestEnvironment {
    var mailServerCheck: MailServerCheck { MailServerCheck(parts.mail.route, parts.mail.client) }
}
