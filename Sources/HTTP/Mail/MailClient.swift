public import EventLoop

/// Sends mail through an SMTP server, on threads of its own.
///
/// libcurl waits inside its calls for the server's answer to the whole message, and for that to QUIT (curl#8555), so
/// these calls are not made on a loop.
public struct MailClient: Sendable {
    /// What a mail server offered to a connection that sent no message.
    public struct Greeting: Equatable, Sendable {
        public let isEncrypted: Bool
        /// Whether the server accepted user and password.
        public let isLoggedIn: Bool
    }

    private let threads: BlockingPool
    private let gate: OutgoingGate?

    /// - Parameters:
    ///   - threads: each has one connection at a time.
    ///   - gate: closed where no message may leave.
    public init(threads: BlockingPool, gate: OutgoingGate? = nil) { (self.threads, self.gate) = (threads, gate) }

    /// Sends a message and waits until the server has accepted it (RFC 5321 section 4.2.5).
    ///
    /// The operator chooses the server, so it may have any address. Cancelling the task ends the connection, and never
    /// the message: what the server does not have whole, it does not accept.
    ///
    /// - Parameter owner: see `BlockingPool.run`.
    public func deliver(_ delivery: SMTPDelivery, for owner: String) async throws(DeliveryFailure) {
        do throws(ClientFailure) { try gate?.expectOpen() } catch { throw .failed(error) }
        guard delivery.isSendable else { throw .failed(.malformedRequest) }
        _ = try await run(MailTransfer(to: delivery.server, as: delivery.localName, delivery), for: owner)
    }

    /// Connects, encrypts and logs in as a delivery does, and sends no message.
    public func greet(_ server: SMTPServer, as localName: String, within deadline: Duration)
        async throws(DeliveryFailure) -> Greeting
    { try await run(MailTransfer(to: server, as: localName, within: deadline), for: "") }

    private func run(_ transfer: MailTransfer, for owner: String) async throws(DeliveryFailure) -> Greeting {
        let result: Result<Greeting, DeliveryFailure> = await withTaskCancellationHandler {
            do { return try await threads.run(for: owner) { transfer.run() } } catch { return .failure(.busy) }
        } onCancel: {
            transfer.cancel()
        }
        return try result.get()
    }
}
