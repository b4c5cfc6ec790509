import EventLoop
import TestMail
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Mail over SMTP` {
    /// Runs a server and a client, and returns how the delivery ended and what the server got.
    private func deliver(
        _ manners: MailServer.Manners = MailServer.Manners(), url: (UInt16) -> String = { "smtp://127.0.0.1:\($0)" },
        message: String = "Subject: Hello\r\n\r\nHello\r\n", deadline: Duration = .testTimeout
    ) async throws -> (failure: DeliveryFailure?, MailServer.Received) {
        let server = MailServer(manners)
        let loops = try [EventLoop(name: "mail-client"), EventLoop(name: "mail-server")]
        for loop in loops { try loop.start() }
        loops[1].execute { server.serve() }
        let address = try #require(SMTPServer(url(server.port)))
        var delivery = SMTPDelivery(
            through: address, from: "no-reply@pippin.example", to: "ada@acme.example", Array(message.utf8),
            as: "pippin.example")
        delivery.deadline = deadline
        let failure: DeliveryFailure? = try await loops[0].run { [delivery] in
            let client = try HTTPClient(on: loops[0])
            defer { client.close() }
            do throws(DeliveryFailure) {
                try await client.deliver(delivery)
                return nil
            } catch { return error }
        }
        server.close()
        for loop in loops { loop.stop() }
        return (failure, server.received)
    }

    @Test func `hands over envelope and message as they are`() async throws {
        let (failure, received) = try await deliver(message: "Subject: Hello\r\n\r\n.dot\r\n..two\r\nend\r\n")

        #expect(failure == nil)
        #expect(received.commands.contains("EHLO pippin.example"))
        #expect(received.commands.contains { $0.hasPrefix("MAIL FROM:<no-reply@pippin.example>") })
        #expect(received.commands.contains("RCPT TO:<ada@acme.example>"))
        #expect(received.message == "Subject: Hello\r\n\r\n.dot\r\n..two\r\nend\r\n")
    }

    /// How a server refuses that answers so to one command; nil where it does not refuse.
    private func refusal(_ verb: String, _ answer: String, extensions: [String] = [], user: String = "") async throws
        -> MailRefusal?
    {
        let manners = MailServer.Manners(answers: [verb: answer], extensions: extensions)
        let (failure, _) = try await deliver(manners, url: { "smtp://\(user)127.0.0.1:\($0)" })
        if case .refused(let refusal) = failure { return refusal }
        Issue.record("\(verb) \(answer): \(String(describing: failure))")
        return nil
    }

    @Test func `is refused for good, or for now`() async throws {
        for (verb, answer, isFinal) in [
            ("RCPT", "550 5.1.1 <ada@acme.example> unknown", true), (".", "554 5.7.1 spam", true),
            ("RCPT", "451 4.3.0 later", false), (".", "452 4.2.2 full", false), ("MAIL", "421 4.3.2 closing", false),
        ] {
            let refusal = try await refusal(verb, answer)
            #expect(refusal?.isFinal == isFinal, "\(answer)")
            // Not the server's words: they name the person.
            #expect(refusal?.description == answer.split(separator: " ").prefix(2).joined(separator: " "))
        }
    }

    @Test func `S32, V52: what a mail server says is bounded, and octets`() async throws {
        let flags = String(repeating: "\u{1F1E9}", count: 100)
        #expect(try await refusal("RCPT", "550 5.1.1 \(flags)")?.description == "550 5.1.1")
        let talk = String(repeating: "550-5.1.1 \(flags)\r\n", count: 100) + "550 5.1.1 no"
        let (failure, _) = try await deliver(MailServer.Manners(answers: ["RCPT": talk]))
        #expect(failure == .failed(.malformedAnswer))
    }

    @Test func `signs in with the password of the address`() async throws {
        let (failure, received) = try await deliver(
            MailServer.Manners(extensions: ["AUTH PLAIN"]), url: { "smtp://pippin:p%40ss@127.0.0.1:\($0)" })

        #expect(failure == nil)
        // base64 of NUL pippin NUL p@ss.
        #expect(received.commands.contains("AHBpcHBpbgBwQHNz"))
    }

    @Test func `a wrong password is no fault of the message`() async throws {
        let refusal = try await refusal("AUTH", "535 5.7.8 wrong", extensions: ["AUTH PLAIN"], user: "pippin:wrong@")
        #expect(refusal?.isFinal == false)
    }

    @Test func `ends at its deadline`() async throws {
        let (failure, _) = try await deliver(MailServer.Manners(isMute: true), deadline: .milliseconds(20))

        #expect(failure == .failed(.deadlinePassed))
    }

    @Test(arguments: ["ada@acme.example>\r\nRCPT TO:<eve@evil.example", "a b@acme.example", "", "ada@acme.example\n"])
    func `an address that would end its command is not sent`(recipient: String) throws {
        let delivery = SMTPDelivery(
            through: try #require(SMTPServer("smtp://127.0.0.1")), from: "no-reply@pippin.example", to: recipient, [],
            as: "pippin.example")

        #expect(!delivery.isSendable)
    }
}

@Suite struct `The address of a mail server` {
    @Test(arguments: [
        ("smtp://mail.example", "smtp://mail.example", false),
        ("smtp://mail.example:587/", "smtp://mail.example:587", false),
        ("smtp://me:secret@mail.example", "smtp://mail.example", true),
        ("smtps://me:secret@mail.example:465", "smtps://mail.example:465", true),
        ("smtp://me:secret@127.0.0.1:2525", "smtp://127.0.0.1:2525", false),
        ("smtp://me:secret@[::1]:2525", "smtp://[::1]:2525", false),
    ]) func `is kept without its password, which wants encryption`(url: String, address: String, mustEncrypt: Bool)
        throws
    {
        let server = try #require(SMTPServer(url))

        #expect(server.address == address)
        #expect(server.mustEncrypt == mustEncrypt)
    }

    @Test(arguments: [
        "", "mail.example", "http://mail.example", "smtp://", "smtp://mail.example/path", "smtp://mail.example:0",
        "smtp://mail.example:99999", "smtp://me@mail.example", "smtp://a:b@c:d@e", "smtp://ma il", "smtp://mail\r\n",
        "smtp://:x@mail.example", "smtp://m%0d%0ae:x@mail.example", "smtp://[::1",
    ]) func `is one of these two forms`(url: String) { #expect(SMTPServer(url) == nil) }
}
