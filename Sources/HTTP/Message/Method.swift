internal import Glibc

/// A request method (RFC 9110 section 9) that Pippin supports.
public enum Method: UInt8, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options
    /// Any other token; no route can be declared for it, so the response is 404 or 405.
    case other

    /// The token as it appears in a request line and in `Allow`.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "other"
        }
    }

    /// Parses the token of a request line; method names are case-sensitive.
    init(token: UnsafePointer<CChar>) {
        let length = unsafe strlen(token)
        for method in Method.allCases where method != .other && method.name.utf8CodeUnitCount == length {
            if unsafe memcmp(token, method.name.utf8Start, length) == 0 {
                self = method
                return
            }
        }
        self = .other
    }
}
