public import HTTP
internal import Synchronization

/// What browsers are told of using TLS alone (HSTS, RFC 6797): of this host only, since hosts below it may speak plain http.
///
/// A year once a request is known to have come by TLS, which the server itself or a trusted proxy says; until then a day.
/// Browsers heed it over TLS only, so what is chosen here binds nobody whose first request failed there.
public final class TransportSecurity: Sendable {
    private static let (day, year) = (86_400, 31_536_000)

    private let isSecure: Bool
    private let seconds: Int?
    private let isSeen = Atomic(false)

    /// - Parameters:
    ///   - isSecure: whether the public URL is https; nothing is told otherwise.
    ///   - seconds: what the operator chose; 0 has browsers forget what they were told.
    public init(isSecure: Bool, seconds: Int? = nil) { (self.isSecure, self.seconds) = (isSecure, seconds) }

    /// Notes a request that has come by TLS.
    public func note(_ request: Request) {
        guard isSecure, !isSeen.load(ordering: .relaxed), request.isSecure else { return }
        isSeen.store(true, ordering: .relaxed)
    }

    /// Value of the field `Strict-Transport-Security`; nil for none.
    var field: String? {
        isSecure ? "max-age=\(seconds ?? (isSeen.load(ordering: .relaxed) ? Self.year : Self.day))" : nil
    }
}
