import HTTP
import Platform
import Postgres
import TestMail
import TestSupport
import Testing

@Suite struct `Mail through a server` {
    @Test func `goes out in the name of the team`() async throws {
        let server = MailServer()
        try await withMail(through: server) { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await environment.wait(for: "succeeded")

            let received = server.received
            #expect(received.commands.contains { $0.hasPrefix("MAIL FROM:<no-reply@pippin.example>") })
            #expect(received.commands.contains("RCPT TO:<ada@acme.example>"))
            #expect(received.message.contains("From: \"Acme\"\r\n <no-reply@pippin.example>\r\n"))
            #expect(received.message.contains("Auto-Submitted: auto-generated\r\n"))
            #expect(try await environment.mailbox.page(limit: 10).total == 0)
        }
    }

    @Test func `that refuses the person is dead at once`() async throws {
        let server = MailServer(MailServer.Manners(answers: ["RCPT": "550 5.1.1 <ada@acme.example> unknown"]))
        try await withMail(through: server) { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await environment.wait(for: "dead")

            #expect(try environment.admin("SELECT problem FROM jobs") == [["the mail server says 550 5.1.1"]])
        }
    }

    @Test func `does not leave a copy of an installation, and is not sent later`() async throws {
        let (server, gate) = (MailServer(), OutgoingGate())
        gate.isClosed = true
        try await withMail(through: server, gate: gate) { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await environment.wait(for: "dead")

            let problem = try environment.admin("SELECT problem FROM jobs")[0][0]
            #expect(problem?.hasPrefix("copy: ") == true)
            #expect(server.received.commands.isEmpty)
        }
    }

    @Test(arguments: ["451 4.3.0", "553 5.7.1", "550"])
    func `that is busy, or refuses this installation, is asked again`(answer: String) async throws {
        let server = MailServer(MailServer.Manners(answers: ["MAIL": "\(answer) no"]))
        try await withMail(through: server) { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await waitUntil {
                try environment.admin("SELECT problem FROM jobs") == [["the mail server says \(answer)"]]
            }

            #expect(try environment.admin("SELECT state, (due_at > now())::text FROM jobs") == [["pending", "true"]])
        }
    }
}
