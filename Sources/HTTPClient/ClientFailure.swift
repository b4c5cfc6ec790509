internal import CCurl

/// Why there is no answer.
public enum ClientFailure: Error, Equatable, Sendable {
    /// The request itself cannot be sent: an address that is none, another scheme than `https` and `http`,
    /// user or password in it, a field or a method with characters that may not be there.
    case malformedRequest
    /// The name stands for an address, or the server sent on to one, that the request's policy refuses.
    case addressRefused(String)
    case nameNotFound
    case cannotConnect
    /// The certificate is not trusted or is for another name, in libcurl's words too.
    case untrusted(CertificateFault, String)
    case deadlinePassed
    /// The answer was not one, or the connection ended in the middle of it.
    case malformedAnswer
    /// The body of the answer is longer than the request allows.
    case bodyTooLong(limit: Int)
    /// More redirects than the request allows.
    case tooManyRedirects
    /// The calling task was cancelled, or the client closed.
    case cancelled
    /// Anything else, in libcurl's words.
    case other(String)

    /// Says what libcurl's result means.
    ///
    /// - Parameter chainFault: what OpenSSL found wrong with the chain of certificates.
    init(_ code: CURLcode, chainFault: Int = 0) {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: self = .malformedRequest
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotFound
        case CURLE_COULDNT_CONNECT: self = .cannotConnect
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
            let fault = CertificateFault(chainFault, isName: code == CURLE_PEER_FAILED_VERIFICATION)
            self = .untrusted(fault, Self.text(of: code))
        case CURLE_OPERATION_TIMEDOUT: self = .deadlinePassed
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
            CURLE_WEIRD_SERVER_REPLY,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .malformedAnswer
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        default: self = .other(Self.text(of: code))
        }
    }

    private static func text(of code: CURLcode) -> String {
        unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    }
}

extension ClientFailure: CustomStringConvertible {
    /// As logs and details say it.
    public var description: String {
        switch self {
        case .malformedRequest: "the request cannot be sent"
        case .addressRefused(let address): "\(address) is no address to be called"
        case .nameNotFound: "the name is not found"
        case .cannotConnect: "nobody takes the connection"
        case .untrusted(_, let reason): "the encrypted connection failed: \(reason)"
        case .deadlinePassed: "no answer came in time"
        case .malformedAnswer: "the answer broke off, or is none"
        case .bodyTooLong(let limit): "the answer is longer than \(limit) octets"
        case .tooManyRedirects: "too many redirects"
        case .cancelled: "the request was broken off"
        case .other(let text): text
        }
    }
}
