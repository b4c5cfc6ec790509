import Bytes
import Domain
import Jobs
import Mail
import Postgres
import Testing

@Suite struct `Mail without a server` {
    @Test func `lands in the mailbox of the console`() async throws {
        try await withMail { world in
            try await world.mail.enqueue(world.mail(world.verification), in: World.acme)
            try await world.wait(for: "succeeded")

            let page = try await world.mailbox.page(limit: 10)
            #expect(page.total == 1)
            let entry = try #require(page.entries.first)
            #expect(entry.team == World.acme)
            #expect(entry.recipient.rawValue == "ada@acme.example")
            #expect(entry.subject == "Confirm your e-mail address for Acme")
            let mail = try #require(try await world.mailbox.find(entry.id))
            #expect(mail.link == World.link)
            #expect(mail.text.contains("\n\(World.link)\n"))
            #expect(mail.html.contains("href=\"\(World.link)\""))
        }
    }

    @Test func `is put there if its transaction commits, and only then`() async throws {
        struct Regret: Error {}
        try await withMail { world in
            await #expect(throws: Regret.self) {
                try await world.database.transaction(in: World.acme) { transaction in
                    try await world.mail.enqueue(world.mail(world.verification), in: World.acme, transaction)
                    throw Regret()
                }
            }
            try await world.database.transaction(in: World.acme) { transaction in
                let mail = try world.mail(.plain(subject: "Kept", paragraphs: ["One."]))
                try await world.mail.enqueue(mail, in: World.acme, transaction)
            }
            try await world.wait(for: "succeeded")

            #expect(try await world.mailbox.page(limit: 10).entries.map(\.subject) == ["Kept"])
        }
    }

    @Test func `cannot be read by a team, not even by the one that wrote it`() async throws {
        try await withMail { world in
            try await world.mail.enqueue(world.mail(world.verification), in: World.acme)
            try await world.wait(for: "succeeded")

            for team in [World.acme, World.rival] {
                #expect(try await world.database.query("SELECT mail_id FROM mailbox", in: team).isEmpty)
            }
        }
    }

    @Test func `goes after thirty days, however many there are`() async throws {
        try await withMail { world in
            try world.admin(
                """
                INSERT INTO mailbox (team_id, mail_id, at, of_team, letter, recipient, subject, body_text, body_html)
                SELECT 'PIPPIN0000', age || number, now() - age::interval, 'ACMETEAM01', 'plain', 'ada@acme.example', age,
                    '', ''
                FROM (VALUES ('31 days', 1201), ('29 days', 3)) AS mails (age, count),
                    generate_series(1, count) AS number
                """
            )
            try await world.mailbox.purge()

            #expect(try world.admin("SELECT DISTINCT subject FROM mailbox") == [["29 days"]])
        }
    }

    @Test func `is found by the beginning of an address, and page by page`() async throws {
        try await withMail { world in
            for index in 0..<5 {
                let letter = Letter.plain(subject: "Number \(index)", paragraphs: [])
                try await world.mail.enqueue(
                    world.mail(letter, to: "ada\(index)@acme.example"),
                    in: World.acme
                )
            }
            try await world.mail.enqueue(
                world.mail(world.verification, to: "ben@acme.example"),
                in: World.acme
            )
            try await world.wait { try await world.mailbox.page(limit: 10).total == 6 }

            let first = try await world.mailbox.page(to: "ADA", limit: 3)
            let second = try await world.mailbox.page(to: "ADA", after: first.next, limit: 3)

            #expect(first.total == 5)
            #expect(first.entries.count == 3)
            #expect(second.entries.count == 2)
            #expect(second.next == nil)
            #expect(Set((first.entries + second.entries).map(\.id)).count == 5)
            #expect(try await world.mailbox.page(to: "%", limit: 3).total == 0)
        }
    }
}

@Suite struct `Mail that waits` {
    @Test func `is sealed, since its link is a secret`() async throws {
        try await withMail { world in
            let mail = try world.mail(world.verification)
            let job = world.mail.job(mail, in: World.acme)

            try await world.database.query(job.insertion(in: World.acme), in: World.acme)

            let payload = try world.admin("SELECT payload::text FROM jobs")[0][0] ?? ""
            #expect(payload.contains("verification"))
            #expect(!payload.contains("secret-of-the-link"))
            #expect(!payload.contains("ada@"))
        }
    }

    @Test func `is not sent when its link works no more`() async throws {
        try await withMail { world in
            let letter = Letter.passwordReset(link: World.link, until: .now() - .seconds(1))
            try await world.mail.enqueue(world.mail(letter), in: World.acme)
            try await world.wait(for: "dead")

            #expect(try await world.mailbox.page(limit: 10).total == 0)
        }
    }

    @Test func `cannot be moved to another team`() async throws {
        try await withMail { world in
            let job = world.mail.job(try world.mail(world.verification), in: World.acme)
            try await world.database.query(job.insertion(in: World.rival), in: World.rival)
            world.mail.ring()
            try await world.wait(for: "dead")

            #expect(try await world.mailbox.page(limit: 10).total == 0)
        }
    }
}
