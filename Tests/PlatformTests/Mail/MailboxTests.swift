import Core
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct `Mail without a server` {
    @Test func `lands in the mailbox of the console`() async throws {
        try await withMail { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await environment.wait(for: "succeeded")

            let page = try await environment.mailbox.page(limit: 10)
            #expect(page.total == 1)
            let entry = try #require(page.items.first)
            #expect(entry.team == TeamID.acme)
            #expect(entry.recipient.rawValue == "ada@acme.example")
            #expect(entry.subject == "Confirm your email address for Acme")
            let mail = try #require(try await environment.mailbox.find(entry.id))
            #expect(mail.body.link == MailEnvironment.link)
            #expect(mail.body.text.contains("\n\(MailEnvironment.link)\n"))
            #expect(mail.body.html.contains("href=\"\(MailEnvironment.link)\""))
        }
    }

    @Test func `is put there if its transaction commits, and only then`() async throws {
        struct Regret: Error {}
        try await withMail { environment in
            await #expect(throws: Regret.self) {
                try await environment.database.transaction(in: .acme) { transaction in
                    try await environment.mail.enqueue(
                        environment.mail(environment.verification), in: .acme, transaction)
                    throw Regret()
                }
            }
            try await environment.database.transaction(in: .acme) { transaction in
                let mail = try environment.mail(.plain(subject: "Kept", paragraphs: ["One."]))
                try await environment.mail.enqueue(mail, in: .acme, transaction)
            }
            try await environment.wait(for: "succeeded")

            #expect(try await environment.mailbox.page(limit: 10).items.map(\.subject) == ["Kept"])
        }
    }

    @Test func `cannot be read by a team, not even by the one that wrote it`() async throws {
        try await withMail { environment in
            try await environment.mail.enqueue(environment.mail(environment.verification), in: .acme)
            try await environment.wait(for: "succeeded")

            for team in [TeamID.acme, TeamID.rival] {
                #expect(try await environment.database.query("SELECT mail_id FROM mailbox", in: team).isEmpty)
            }
        }
    }

    @Test func `is found by the beginning of an address, and page by page`() async throws {
        try await withMail { environment in
            for index in 0..<5 {
                let message = EmailMessage.plain(subject: "Number \(index)", paragraphs: [])
                try await environment.mail.enqueue(environment.mail(message, to: "ada\(index)@acme.example"), in: .acme)
            }
            try await environment.mail.enqueue(
                environment.mail(environment.verification, to: "ben@acme.example"), in: .acme)
            try await waitUntil { try await environment.mailbox.page(limit: 10).total == 6 }

            let first = try await environment.mailbox.page(to: "ADA", limit: 3)
            let second = try await environment.mailbox.page(to: "ADA", after: first.next, limit: 3)

            #expect(first.total == 5)
            #expect(first.items.count == 3)
            #expect(second.items.count == 2)
            #expect(second.next == nil)
            #expect(Set((first.items + second.items).map(\.id)).count == 5)
            #expect(try await environment.mailbox.page(to: "%", limit: 3).total == 0)
        }
    }
}

@Suite struct `Mail that waits` {
    @Test func `V57: is sealed, since its link is a secret`() async throws {
        try await withMail { environment in
            let mail = try environment.mail(environment.verification)
            let job = environment.mail.job(mail, in: .acme)

            try await environment.database.query(job.insertion(in: .acme), in: .acme)

            let payload = try environment.admin("SELECT payload::text FROM jobs")[0][0] ?? ""
            #expect(payload.contains("verification"))
            #expect(!payload.contains("secret-of-the-link"))
            #expect(!payload.contains("ada@"))
        }
    }

    @Test func `is not sent when its link works no more`() async throws {
        try await withMail { environment in
            let message = EmailMessage.passwordReset(link: MailEnvironment.link, until: .now() - .seconds(1))
            try await environment.mail.enqueue(environment.mail(message), in: .acme)
            try await environment.wait(for: "dead")

            #expect(try await environment.mailbox.page(limit: 10).total == 0)
        }
    }

    @Test func `cannot be moved to another team`() async throws {
        try await withMail { environment in
            let job = environment.mail.job(try environment.mail(environment.verification), in: .acme)
            // What cannot be read is left for a day to a release that can.
            try await environment.database.transaction(in: .rival) { transaction in
                try await transaction.query(job.insertion(in: .rival))
                try await transaction.query(
                    "UPDATE jobs SET created_at = created_at - interval '25 hours' WHERE team_id = \(TeamID.rival)")
            }
            environment.mail.ring()
            try await environment.wait(for: "dead")

            #expect(try await environment.mailbox.page(limit: 10).total == 0)
        }
    }
}
