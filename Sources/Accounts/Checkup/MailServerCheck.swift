public import Core
public import HTTP
public import Platform

/// Check of the mail server: connects, encrypts and logs in as for a mail, and sends none.
public struct MailServerCheck: Sendable {
    private static let deadline = Duration.seconds(20)

    private let route: MailSender.Route
    private let client: MailClient

    public init(_ route: MailSender.Route, _ client: MailClient) { (self.route, self.client) = (route, client) }

    func finding() async -> Finding {
        let subject = Message("console.checkup.mail-server")
        guard let server = route.server else {
            return Finding(.note, subject, Message("console.checkup.mail-server.none"))
        }
        do throws(DeliveryFailure) {
            let greeting = try await client.greet(server, as: route.localName, within: Self.deadline)
            return finding(subject, server, greeting)
        } catch {
            return Finding(
                .wrong, subject,
                Message("console.checkup.mail-server.silent", ["server": server.address, "reason": error.words]),
                advice: [error.advice].compactMap(\.self))
        }
    }

    private func finding(_ subject: Message, _ server: SMTPServer, _ greeting: MailClient.Greeting) -> Finding {
        let address = server.address
        if server.hasPassword, !greeting.isLoggedIn {
            return Finding(
                .wrong, subject, Message("console.checkup.mail-server.no-login", ["server": address]),
                advice: [Message("console.checkup.mail-server.no-login.advice")])
        }
        let message =
            switch (greeting.isEncrypted, greeting.isLoggedIn) {
            case (true, true): Message("console.checkup.mail-server.encrypted-login", ["server": address])
            case (true, false): Message("console.checkup.mail-server.encrypted", ["server": address])
            case (false, true): Message("console.checkup.mail-server.plain-login", ["server": address])
            case (false, false): Message("console.checkup.mail-server.plain", ["server": address])
            }
        return Finding(.good, subject, message)
    }
}

extension DeliveryFailure {
    /// What the mail server said, or why it said nothing.
    public var words: Message {
        switch self {
        case .refused(let refusal):
            Message(
                "console.checkup.mail-server.said",
                ["answer": refusal.text.map { "\(refusal.code) \($0)" } ?? refusal.description])
        case .notEncrypted: Message("console.checkup.mail-server.not-encrypted")
        case .busy: Message("console.checkup.mail-server.busy")
        case .noLogin: Message("console.checkup.mail-server.login-unknown")
        case .failed(.untrusted(.other, _)): Message("console.checkup.mail-server.no-tls")
        case .failed(.untrusted(let fault, let reason)):
            Message("console.checkup.mail-server.untrusted", ["reason": fault.words(reason)])
        case .failed(let failure): failure.words
        }
    }

    fileprivate var advice: Message? {
        if case .failed(.untrusted(let fault, _)) = self, fault != .other {
            return Message("console.checkup.mail-server.untrusted.advice")
        }
        return nil
    }
}
