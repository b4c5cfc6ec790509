internal import CCurl
internal import Glibc

/// A request in progress, with its libcurl easy handle.
@safe final class Transfer {
    typealias Done = (Result<ClientResponse, ClientFailure>) -> Void

    private var head = AnswerHead()

    let id: UInt64
    let easy: EasyHandle
    let done: Done

    private let policy: AddressPolicy
    private let bodyLimit: Int
    /// Whether a proxy opens the connection, so that its address is the one connected to.
    private var isProxied = false
    private var body: [UInt8] = []
    private var failure: ClientFailure?
    let openSocket: @Sendable (_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32

    /// Prepares a request; nil when it cannot be sent as it is, or libcurl cannot create a handle.
    init?(_ id: UInt64, _ request: ClientRequest, _ options: HTTPClient.Options, _ done: @escaping Done) {
        guard request.isSendable, let easy = EasyHandle() else { return nil }
        self.id = id
        self.easy = easy
        self.done = done
        policy = request.addresses
        bodyLimit = request.bodyLimit
        openSocket = options.openSocket
        // libcurl would decode every transfer coding that a server names, nested or not requested too, and check no
        // limit and no deadline meanwhile: a few KiB can take hours. So nothing is decoded.
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pippin_curl_set_callbacks(
            easy.pointer, context, CurlCallbacks.body, CurlCallbacks.field, CurlCallbacks.openSocket,
            CurlCallbacks.connected)
        setLimits(request, options)
        guard setProxy(request, options.proxy) else { return nil }
        setMessage(request, options)
    }

    private func setLimits(_ request: ClientRequest, _ options: HTTPClient.Options) {
        easy.setDeadline(request.deadline, connecting: request.deadline)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_FOLLOWLOCATION, request.redirectLimit > 0 ? 1 : 0)
        set(CURLOPT_MAXREDIRS, max(0, request.redirectLimit))
        if !options.hosts.isEmpty { easy.set(CURLOPT_RESOLVE, options.hosts) }
        if request.asksForCertificate {
            set(CURLOPT_CERTINFO, 1)
            // libcurl reports no certificate for a connection that is already open.
            set(CURLOPT_FRESH_CONNECT, 1)
        }
        if let file = options.trustedCertificates { set(CURLOPT_CAINFO, file) }
        // The HTTP/2 library decodes heads before they are counted, and reads frames without limit.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }

    /// Has a request to another machine take the proxy; false when it has no host.
    private func setProxy(_ request: ClientRequest, _ proxy: OutgoingProxy?) -> Bool {
        guard let proxy else { return true }
        guard let host = RequestHost(of: request.url) else { return false }
        guard !host.isLoopback else { return true }
        isProxied = true
        if request.addresses != .any, !host.isPublic { failure = .addressRefused(host.name) }
        set(CURLOPT_PROXY, proxy.address)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // The hosts of redirects would not be judged.
        set(CURLOPT_FOLLOWLOCATION, 0)
        if let user = proxy.user { set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { set(CURLOPT_PROXYPASSWORD, password) }
        return true
    }

    private func setMessage(_ request: ClientRequest, _ options: HTTPClient.Options) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_USERAGENT, options.userAgent)
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            unsafe pippin_curl_set_size(easy.pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
            unsafe request.body.withUnsafeBytes { body in
                let text = unsafe body.assumingMemoryBound(to: CChar.self).baseAddress
                _ = unsafe pippin_curl_set_text(easy.pointer, CURLOPT_COPYPOSTFIELDS, text)
            }
            if request.body.isEmpty { set(CURLOPT_COPYPOSTFIELDS, "") }
        }
        if request.method != "HEAD" { set(CURLOPT_CUSTOMREQUEST, request.method) }
        var lines: [String] = []
        if !request.names("Accept") { lines.append("Accept: */*") }
        // Without this libcurl sends `Expect: 100-continue` before a longer body, and waits a second for the response.
        lines.append("Expect:")
        if !request.body.isEmpty && !request.names("Content-Type") { lines.append("Content-Type:") }
        lines += request.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        easy.set(CURLOPT_HTTPHEADER, lines)
    }

    private func set(_ option: CURLoption, _ value: Int) { easy.set(option, value) }

    private func set(_ option: CURLoption, _ value: String) { easy.set(option, value) }
}

// Results.
extension Transfer {
    /// The response or failure at the end of the transfer.
    func result(_ code: CURLcode) -> Result<ClientResponse, ClientFailure> {
        if code == CURLE_OK {
            let status = unsafe pippin_curl_status(easy.pointer)
            // libcurl reads any digits it finds in a malformed status line.
            guard (200...999).contains(status) else { return .failure(.malformedAnswer) }
            let certificate = unsafe pippin_curl_certificate(easy.pointer).map { unsafe String(cString: $0) }
            return .success(ClientResponse(status: status, fields: head.fields, body: body, certificate: certificate))
        }
        if failure == nil, let refusal = proxyRefusal(code) { return .failure(refusal) }
        return .failure(failure ?? easy.failure(code))
    }

    /// Whether the policy allows the address, for a new or an open connection; records the failure when it does not.
    func allows(_ address: PeerAddress?) -> Bool {
        // The name was judged; `failure` says how.
        if isProxied { return failure == nil }
        guard let address, policy.allows(address) else {
            failure = .addressRefused(address?.description ?? "")
            return false
        }
        return true
    }

    /// Why the proxy opened no connection; nil for any other failure.
    ///
    /// Its address is left out, because members of teams read failures.
    private func proxyRefusal(_ code: CURLcode) -> ClientFailure? {
        guard isProxied else { return nil }
        let status = unsafe pippin_curl_connect_status(easy.pointer)
        if status >= 300 { return .other("the outgoing proxy answered with status \(status)") }
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: return .other("the name of the outgoing proxy is not found")
        case CURLE_COULDNT_CONNECT: return .other("the outgoing proxy takes no connection")
        default: return nil
        }
    }

    /// Records that this machine cannot open a socket, which is not a fault of the server.
    func noteMissingSocket(_ error: Int32) {
        guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error) else { return }
        failure = .other("this machine has no descriptor or memory left for a connection")
    }

    /// Takes a line of the head or of the trailer section; false when it is too much.
    func takeField(_ line: UnsafeRawBufferPointer) -> Bool {
        guard unsafe head.take(line, isTrailer: !body.isEmpty) else {
            failure = .malformedAnswer
            return false
        }
        return true
    }

    func takeBody(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard chunk.count <= bodyLimit - body.count else {
            failure = .bodyTooLong(limit: bodyLimit)
            return false
        }
        unsafe body.append(contentsOf: chunk)
        return true
    }
}

extension ClientRequest {
    /// Whether method, URL and fields contain only characters that are allowed in a message.
    fileprivate var isSendable: Bool {
        let isMethod = !method.isEmpty && method.utf8.allSatisfy(ASCII.isToken)
        let isURL = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isMethod && isURL
            && fields.allSatisfy { field in
                !field.name.isEmpty && field.name.utf8.allSatisfy(ASCII.isToken)
                    && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            }
    }

    fileprivate func names(_ name: String) -> Bool {
        fields.contains { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }
    }
}

/// The head of a server's response, parsed line by line as it arrives.
///
/// The server controls all of it, so nothing processes it by Unicode characters, which on crafted text costs more than
/// the number of octets. Names and values are kept in ASCII.
private struct AnswerHead {
    /// Maximum length of a line in octets.
    private static let lineLimit = 8 * 1024
    /// Maximum octets of all lines of a response: its own head, those of redirects and 1xx responses before it, and the
    /// trailer section.
    private static let limit = 24 * 1024
    /// Maximum number of those lines: libcurl keeps each, in more memory than it has octets.
    private static let lines = 512

    /// Fields of the last head, in the order received.
    private(set) var fields: [(name: String, value: String)] = []
    private var size = 0
    private var count = 0

    /// Takes a line; false when it exceeds a limit or names a transfer coding other than chunked, which was not
    /// requested (RFC 9112 section 6.1).
    ///
    /// A status line begins a new head, after a 100 or a redirect.
    ///
    /// - Parameter isTrailer: whether the line follows the body; such a line is counted and otherwise ignored.
    mutating func take(_ line: UnsafeRawBufferPointer, isTrailer: Bool = false) -> Bool {
        size += line.count
        count += 1
        guard line.count <= Self.lineLimit, size <= Self.limit, count <= Self.lines else { return false }
        guard !isTrailer else { return true }
        if unsafe line.starts(with: "HTTP/".utf8) { fields = [] }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            unsafe line[..<colon].allSatisfy(ASCII.isToken)
        else { return true }
        let name = unsafe Self.text(line[..<colon])
        let value = unsafe Self.text(line[(colon + 1)...])
        let isCoding = ASCII.equalIgnoringCase(name.utf8, "Transfer-Encoding".utf8)
        guard !isCoding || ASCII.equalIgnoringCase(value.utf8, "chunked".utf8) else { return false }
        fields.append((name, value))
        return true
    }

    /// Text without the whitespace and line end around it; octets beyond ASCII become question marks.
    static func text(_ octets: some BidirectionalCollection<UInt8>) -> String {
        let end = octets.lastIndex { !isBlank($0) }
        guard let end, let start = octets.firstIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: octets[start...end].map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
