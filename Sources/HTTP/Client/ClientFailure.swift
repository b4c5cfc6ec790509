internal import CCurl

/// Reason why a request has no response.
public enum ClientFailure: Error, Equatable, Sendable {
    /// The request cannot be sent: a malformed URL, a scheme other than `https` and `http`, a user or password in the
    /// URL, or a field or method with characters that are not allowed.
    case malformedRequest
    /// The request's policy rejects the address of the host, or of a redirect's host.
    case addressRefused(String)
    case nameNotFound
    case cannotConnect
    /// The certificate is not trusted or is for another name; with libcurl's message.
    case untrusted(CertificateFault, String)
    case deadlinePassed
    /// The response is malformed, or the connection ended before it was complete.
    case malformedAnswer
    /// The response body is longer than the request allows.
    case bodyTooLong(limit: Int)
    /// More redirects than the request allows.
    case tooManyRedirects
    /// The calling task was cancelled, or the client was closed.
    case cancelled
    /// This installation is a copy of another one, which alone calls others.
    case copy
    /// Any other failure, mostly with libcurl's message.
    case other(String)

    /// Maps a result code of libcurl.
    ///
    /// - Parameters:
    ///   - words: libcurl's description of the failure, with OpenSSL's in it.
    ///   - chainFault: the error OpenSSL found in the chain of certificates.
    init(_ code: CURLcode, _ words: String = "", chainFault: Int = 0) {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: self = .malformedRequest
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotFound
        case CURLE_COULDNT_CONNECT: self = .cannotConnect
        case CURLE_SSL_CONNECT_ERROR where Self.speaksOldVersion(words):
            self = .untrusted(.oldVersion, "it speaks TLS 1.1 or older, and neither TLS 1.2 nor 1.3")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
            let fault = CertificateFault(chainFault, isName: code == CURLE_PEER_FAILED_VERIFICATION)
            self = .untrusted(fault, Self.text(of: code))
        case CURLE_OPERATION_TIMEDOUT: self = .deadlinePassed
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .malformedAnswer
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        default: self = .other(Self.text(of: code))
        }
    }

    /// Whether the server chose an old version of TLS, or refused the new ones (RFC 8446 section 6, protocol_version).
    private static func speaksOldVersion(_ words: String) -> Bool {
        ["unsupported protocol", "alert protocol version"].contains(where: words.contains)
    }

    private static func text(of code: CURLcode) -> String {
        unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    }
}

extension ClientFailure: CustomStringConvertible {
    /// Text for logs and error details.
    public var description: String {
        switch self {
        case .malformedRequest: "the request cannot be sent"
        case .addressRefused(let address): "\(address) is no address to be called"
        case .nameNotFound: "the name is not found"
        case .cannotConnect: "the connection is refused"
        case .untrusted(_, let reason): "the encrypted connection failed: \(reason)"
        case .deadlinePassed: "no answer came in time"
        case .malformedAnswer: "the answer broke off, or is none"
        case .bodyTooLong(let limit): "the answer is longer than \(limit) octets"
        case .tooManyRedirects: "too many redirects"
        case .cancelled: "the request was broken off"
        case .copy: "copy: this installation is a copy of another one, and calls nobody"
        case .other(let text): text
        }
    }
}
