internal import CCares

/// Why a question has no answer.
public enum LookupFailure: Error, Hashable, Sendable {
    /// There is no such name (NXDOMAIN of RFC 1035).
    case noSuchName
    /// The text is no name: an empty or overlong part, or a character that is none of a host name's.
    case malformedName
    /// None of the name servers gave an answer: they cannot be reached, or say that they cannot or will not
    /// (SERVFAIL, REFUSED, NOTIMP).
    case serversFailed
    /// What came back is no answer.
    case malformedAnswer
    case deadlinePassed
    /// The calling task was cancelled, or the resolver closed.
    case cancelled
    /// Anything else, in c-ares' words.
    case other(String)

    /// Says what the status means with which c-ares ends a look-up.
    init(_ status: Int32) {
        switch status {
        case ARES_ENOTFOUND: self = .noSuchName
        case ARES_EBADNAME, ARES_EBADQUERY: self = .malformedName
        case ARES_ECONNREFUSED, ARES_ESERVFAIL, ARES_EREFUSED, ARES_ENOTIMP, ARES_EFORMERR:
            self = .serversFailed
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
