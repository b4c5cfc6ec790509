import Core
import Testing

@testable import Platform

/// What an earlier version has queued is sent by this one, and by the version before where both run on one database.
@Suite struct StoredMailTests {
    @Test func `a waiting mail keeps the names it was stored under`() throws {
        let stored = #"{"message":"verification","sealed":"AAAA"}"#
        let job = try JSON.decode(SendMail.self, from: Array(stored.utf8))

        #expect(job.message == "verification" && job.sealed == "AAAA")
        let written = try JSON.decode(JSONValue.self, from: JSON.encode(job))
        #expect(try written == JSON.decode(JSONValue.self, from: Array(stored.utf8)))
    }

    @Test func `so does what is sealed in it`() throws {
        let recipient = try #require(EmailAddress(rawValue: "ada@acme.example"))
        let mail = OutgoingMail(
            .plain(subject: "Hello", paragraphs: ["World"]), to: recipient, in: .english, from: "Acme")
        let written = try JSON.object(JSON.encode(MailPayload(mail)))

        #expect(Set(written.keys) == ["message", "recipient", "language", "team"])
    }
}
