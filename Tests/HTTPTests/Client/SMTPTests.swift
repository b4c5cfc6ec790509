import EventLoop
import TestMail
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Mail over SMTP` {
    /// Runs a server, and `body` with a client and a delivery to the server.
    private func withServer<Result: Sendable>(
        _ manners: MailServer.Manners, url: (UInt16) -> String = { "smtp://127.0.0.1:\($0)" },
        message: String = "Subject: Hello\r\n\r\nHello\r\n",
        _ body: (MailClient, SMTPDelivery, MailServer) async throws -> Result
    ) async throws -> Result {
        let server = MailServer(manners)
        let loop = try EventLoop(name: "mail-server")
        try loop.start()
        loop.execute { server.serve() }
        let threads = try BlockingPool(name: "mail", threads: 1, queueLimit: 8)
        defer {
            server.close()
            threads.stop()
            loop.stop()
        }
        let address = try #require(SMTPServer(url(server.port)))
        let delivery = SMTPDelivery(
            through: address, from: "no-reply@pippin.example", to: "ada@acme.example", Array(message.utf8),
            as: "pippin.example")
        return try await body(MailClient(threads: threads), delivery, server)
    }

    /// Returns how a delivery ended and what the server got.
    private func deliver(
        _ manners: MailServer.Manners = MailServer.Manners(), url: (UInt16) -> String = { "smtp://127.0.0.1:\($0)" },
        message: String = "Subject: Hello\r\n\r\nHello\r\n", deadline: Duration = .testTimeout
    ) async throws -> (failure: DeliveryFailure?, MailServer.Received) {
        try await withServer(manners, url: url, message: message) { client, delivery, server in
            var delivery = delivery
            delivery.deadline = deadline
            let failure = await outcome(of: delivery, client)
            return (failure, server.received)
        }
    }

    private func outcome(of delivery: SMTPDelivery, _ client: MailClient) async -> DeliveryFailure? {
        do throws(DeliveryFailure) {
            try await client.deliver(delivery, for: "")
            return nil
        } catch { return error }
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

    @Test func `is refused for good only where the recipient does not exist`() async throws {
        for (verb, answer, isFinal) in [
            ("RCPT", "550 5.1.1 <ada@acme.example> unknown", true), (".", "550 5.1.10 takes no mail", true),
            ("RCPT", "550-5.1.1 no such user\r\n550 at all", true), ("RCPT", "550 relaying denied", false),
            ("", "554 5.7.1 no service", false), ("HELO", "550 5.7.1 not you", false),
            ("MAIL", "553 5.7.1 not your address", false), ("MAIL", "553 5.1.8 unknown sender", false),
            ("MAIL", "550 5.1.1 unknown sender", false), ("MAIL", "530 5.7.0 log in first", false),
            ("RCPT", "554 5.7.1 relaying denied", false), ("DATA", "550 5.7.60 not your sender", false),
            (".", "554 5.7.1 spam", false), ("RCPT", "451 4.3.0 later", false), (".", "452 4.2.2 full", false),
            ("MAIL", "421 4.3.2 closing", false),
        ] {
            let answers = verb == "HELO" ? ["EHLO": answer, "HELO": answer] : [verb: answer]
            let (failure, _) = try await deliver(MailServer.Manners(answers: answers))
            guard case .refused(let refusal) = failure else {
                Issue.record("\(verb) \(answer): \(String(describing: failure))")
                continue
            }
            #expect(refusal.isFinal == isFinal, "\(answer)")
            // Not the server's words: they name the person.
            #expect(answer.replacing("-", with: " ").hasPrefix(refusal.description) && refusal.text == nil)
        }
    }

    @Test(arguments: ["", "EHLO", "MAIL", "RCPT", "DATA", "."])
    func `is cancelled wherever the server is silent, and is not completed`(step: String) async throws {
        let manners = MailServer.Manners(silentAt: step)
        let received = try await withServer(manners) { client, delivery, server in
            let delivering = Task { await outcome(of: delivery, client) }
            try await waitUntil { server.received.isSilent }
            delivering.cancel()
            #expect(await delivering.value == .failed(.cancelled))
            try await waitUntil { server.received.isLeft }
            return server.received
        }

        #expect(received.message.isEmpty == (step != "."))
    }

    @Test func `is over when the server has accepted it, though it never answers QUIT`() async throws {
        let manners = MailServer.Manners(silentAt: "QUIT")
        try await withServer(manners) { client, delivery, server in
            #expect(await outcome(of: delivery, client) == nil)
            #expect(await outcome(of: delivery, client) == nil)
            #expect(server.received.commands.count { $0 == "QUIT" } >= 1)
        }
    }

    @Test func `goes by a connection of its own, whatever the server does with the last one`() async throws {
        let manners = MailServer.Manners(answers: ["QUIT": "421 4.4.2 idle for too long"])
        try await withServer(manners) { client, delivery, server in
            for _ in 0..<3 { #expect(await outcome(of: delivery, client) == nil) }
            #expect(server.received.commands.count { $0.hasPrefix("EHLO") } == 3)
        }
    }

    @Test func `a server greets without a mail, and what it says is told`() async throws {
        let url = { (port: UInt16) in "smtp://pippin:secret@127.0.0.1:\(port)" }
        let right = try await withServer(MailServer.Manners(extensions: ["AUTH PLAIN"]), url: url) { client, mail, _ in
            try await client.greet(mail.server, as: "pippin.example", within: .testTimeout)
        }
        #expect(right == MailClient.Greeting(isEncrypted: false, isLoggedIn: true))
        let plain = try await withServer(MailServer.Manners(), url: url) { client, mail, server in
            let greeting = try await client.greet(mail.server, as: "pippin.example", within: .testTimeout)
            #expect(!server.received.commands.contains { $0.hasPrefix("MAIL") })
            return greeting
        }
        #expect(plain == MailClient.Greeting(isEncrypted: false, isLoggedIn: false))
        let wrong = MailServer.Manners(answers: ["AUTH": "535 5.7.8 wrong password"], extensions: ["AUTH PLAIN"])
        try await withServer(wrong, url: url) { client, mail, _ in
            do throws(DeliveryFailure) {
                _ = try await client.greet(mail.server, as: "pippin.example", within: .testTimeout)
                Issue.record("it greets")
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                #expect(refusal.text == "5.7.8 wrong password")
            }
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
            MailServer.Manners(extensions: ["AUTH GSSAPI NTLM PLAIN"]),
            url: { "smtp://pippin@acme.example:p@ss@127.0.0.1:\($0)" })

        #expect(failure == nil)
        // base64 of NUL pippin@acme.example NUL p@ss.
        #expect(received.commands.contains("AHBpcHBpbkBhY21lLmV4YW1wbGUAcEBzcw=="))
    }

    @Test func `a wrong password is no fault of the message`() async throws {
        let refusal = try await refusal("AUTH", "535 5.7.8 wrong", extensions: ["AUTH PLAIN"], user: "pippin:wrong@")
        #expect(refusal?.isFinal == false)
    }

    @Test func `ends at its deadline`() async throws {
        let (failure, _) = try await deliver(MailServer.Manners(silentAt: ""), deadline: .milliseconds(20))

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
        "smtp://mail.example:99999", "smtp://mail.example:+25", "smtp://me@mail.example", "smtp://ma il",
        "smtp://mail\r\n", "smtp://:x@mail.example", "smtp://m%0d%0ae:x@mail.example", "smtp://[::1",
    ]) func `is one of these two forms`(url: String) { #expect(SMTPServer(url) == nil) }
}
