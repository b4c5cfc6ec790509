internal import CCares

/// The reason a query failed.
public enum LookupFailure: Error, Hashable, Sendable {
    /// The name does not exist (NXDOMAIN of RFC 1035).
    case noSuchName
    /// The text is not a name: it has an empty or overlong label, or a character that is invalid in a host name.
    case malformedName
    /// No name server answered: the servers are unreachable or report an error (SERVFAIL, REFUSED, NOTIMP, FORMERR).
    case serversFailed
    /// The response is malformed.
    case malformedAnswer
    case deadlinePassed
    /// The calling task was cancelled, or the resolver was closed.
    case cancelled
    /// Any other error, as described by c-ares.
    case other(String)

    /// Creates the failure for a status of c-ares.
    init(_ status: Int32) {
        switch status {
        case ARES_ENOTFOUND: self = .noSuchName
        case ARES_EBADNAME, ARES_EBADQUERY: self = .malformedName
        case ARES_ECONNREFUSED, ARES_ESERVFAIL, ARES_EREFUSED, ARES_ENOTIMP, ARES_EFORMERR: self = .serversFailed
        case ARES_EBADRESP: self = .malformedAnswer
        case ARES_ETIMEOUT: self = .deadlinePassed
        case ARES_ECANCELLED, ARES_EDESTRUCTION: self = .cancelled
        default: self = .other(Self.text(of: status))
        }
    }

    private static func text(of status: Int32) -> String {
        unsafe ares_strerror(status).map { unsafe String(cString: $0) } ?? "error \(status)"
    }
}
