import CCurl
import EventLoop
import Glibc
import TestSockets
import Testing

@testable import HTTP

/// What a server of TLS sends before anybody knows whether to trust it.
@Suite struct `Certificates and messages of any server` {
    // OpenSSL reads the keys of all certificates first. A prime of the server's choice makes that as slow as it likes, and
    // no deadline ends it; the certificate here takes a fifth of a second.
    @Test(arguments: [1, 2]) func `V43: a certificate with its own curve is not read`(fieldType: UInt8) async throws {
        let certificate = Self.certificate(Self.keyOnOwnCurve(fieldType: fieldType))
        #expect(try await reason(of: [certificate]) == Self.text(of: CURLE_SSL_CONNECT_ERROR))
    }

    @Test func `V43: no more certificates are read than any chain has`() async throws {
        let certificate = Self.certificate(Self.keyOnP256)
        let enough = [[UInt8]](repeating: certificate, count: 16)
        // They are read, and then not trusted.
        #expect(try await reason(of: enough) == Self.text(of: CURLE_PEER_FAILED_VERIFICATION))
        #expect(try await reason(of: enough + [certificate]) == Self.text(of: CURLE_SSL_CONNECT_ERROR))
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `V43: no more certificates are read where the first is trusted`(version: Int32) async throws {
        try await TestCertificate.with { own in
            var options = HTTPClient.Options()
            options.trustedCertificates = own.file
            for (count, isTaken) in [(16, true), (17, false)] {
                let failure = try await self.failure(at: own, sentTimes: count, version, options)
                #expect((failure == nil) == isTaken, "\(count): \(String(describing: failure))")
            }
        }
    }

    /// How a client fares with a server that sends its certificate that many times.
    private func failure(at own: TestCertificate, sentTimes count: Int, _ version: Int32, _ options: HTTPClient.Options)
        async throws -> ClientFailure?
    {
        let listener = LoopbackListener()
        defer { close(listener.socket) }
        let serving = try EventLoop(name: "chain")
        try serving.start()
        defer { serving.stop() }
        serving.execute { Self.serve(listener.socket, own, sentTimes: count, version) }
        var failure: ClientFailure?
        try await withClient(options: options) { test async throws in
            let address = "https://localhost:\(listener.port)/"
            failure = await test.failure(.get(address))
        }
        return failure
    }

    /// Answers one request in that version of TLS.
    private static func serve(_ listener: Int32, _ own: TestCertificate, sentTimes count: Int, _ version: Int32) {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        let context = unsafe SSL_CTX_new(TLS_server_method())
        defer { unsafe SSL_CTX_free(context) }
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        unsafe SSL_CTX_use_certificate_file(context, own.file, SSL_FILETYPE_PEM)
        unsafe SSL_CTX_use_PrivateKey_file(context, own.keyFile, SSL_FILETYPE_PEM)
        for _ in 1..<count {
            let copy = unsafe X509_dup(SSL_CTX_get0_certificate(context))
            // SSL_CTX_add_extra_chain_cert, a macro that Swift does not import; the context owns the copy.
            unsafe SSL_CTX_ctrl(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(copy))
        }
        let ssl = unsafe SSL_new(context)
        defer { unsafe SSL_free(ssl) }
        unsafe SSL_set_fd(ssl, connection)
        guard unsafe SSL_accept(ssl) == 1 else { return }
        var request = [UInt8](repeating: 0, count: 4096)
        unsafe SSL_read(ssl, &request, Int32(request.count))
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere".utf8)
        unsafe SSL_write(ssl, answer, Int32(answer.count))
    }

    @Test func `V43: the handshake is the only one, and asks for no certificate of ours later`() async throws {
        let context = try unsafe #require(SSL_CTX_new(TLS_client_method()))
        defer { unsafe SSL_CTX_free(context) }
        let easy = try unsafe #require(curl_easy_init())
        defer { unsafe curl_easy_cleanup(easy) }
        let place = unsafe UnsafeMutableRawPointer(bitPattern: Int(pippin_curl_count_place()))
        #expect(unsafe pippin_curl_narrow_tls(easy, UnsafeMutableRawPointer(context), place) == CURLE_OK)
        // SSL_OP_NO_RENEGOTIATION, a macro that Swift does not import.
        #expect(unsafe SSL_CTX_get_options(context) & 1 << 30 != 0)

        let extensions = Self.extensions(of: try await exchange([]).hello)
        // supported_versions is there; post_handshake_auth (RFC 8446 section 4.2.6) is not.
        #expect(extensions.contains(43))
        #expect(!extensions.contains(49))
    }

    // OpenSSL counts with any group that a server of TLS 1.2 names, as long as its numbers are.
    @Test func `V43: no finite field of a server's own is agreed to`() async throws {
        let hello = try await exchange([]).hello
        let suites = Self.cipherSuites(of: hello)
        // ECDHE-RSA-AES128-GCM-SHA256 is there; DHE-RSA with AES-GCM, AES-CBC and ChaCha20 is not.
        #expect(suites.contains(0xC02F))
        #expect(suites.isDisjoint(with: [0x9E, 0x9F, 0x33, 0x39, 0x67, 0x6B, 0xCCAA]))
    }

    /// The cipher suites that a client offers (RFC 8446 section 4.1.2: record, message, version, random, session, suites).
    private static func cipherSuites(of hello: [UInt8]) -> Set<UInt16> {
        var rest = hello.dropFirst(5 + 4 + 2 + 32)
        _ = vector(&rest, lengthSize: 1)
        return Set(numbers(in: vector(&rest, lengthSize: 2)))
    }

    /// The types of its extensions, which follow suites and compression.
    private static func extensions(of hello: [UInt8]) -> Set<UInt16> {
        var rest = hello.dropFirst(5 + 4 + 2 + 32)
        for size in [1, 2, 1] { _ = vector(&rest, lengthSize: size) }
        var extensions = vector(&rest, lengthSize: 2)
        var types: Set<UInt16> = []
        while extensions.count >= 4 {
            types.formUnion(numbers(in: extensions.prefix(2)))
            extensions = extensions.dropFirst(2)
            _ = vector(&extensions, lengthSize: 2)
        }
        return types
    }

    /// Takes octets with their length before them.
    private static func vector(_ octets: inout ArraySlice<UInt8>, lengthSize: Int) -> ArraySlice<UInt8> {
        let length = octets.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
        let value = octets.dropFirst(lengthSize).prefix(length)
        octets = octets.dropFirst(lengthSize + length)
        return value
    }

    private static func numbers(in octets: ArraySlice<UInt8>) -> [UInt16] {
        let octets = Array(octets)
        return stride(from: 0, to: octets.count - 1, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
    }

    /// Why a client leaves a server with these certificates.
    private func reason(of certificates: [[UInt8]]) async throws -> String {
        let failure = try await exchange(certificates).failure
        guard case .untrusted(_, let reason) = failure else { return "\(String(describing: failure))" }
        return reason
    }

    /// What a client says to a server with these certificates, and why it leaves.
    private func exchange(_ certificates: [[UInt8]]) async throws -> (hello: [UInt8], failure: ClientFailure?) {
        let listener = LoopbackListener()
        defer { close(listener.socket) }
        let serving = try EventLoop(name: "curves")
        try serving.start()
        defer { serving.stop() }
        async let hello = serving.run { Self.answer(listener.socket, with: Self.greeting(certificates)) }
        var failure: ClientFailure?
        try await withClient { test async throws in
            let address = "https://127.0.0.1:\(listener.port)/"
            failure = await test.failure(.get(address))
        }
        return try await (hello, failure)
    }

    private static func text(of code: CURLcode) -> String { unsafe String(cString: curl_easy_strerror(code)) }

    @Test func `V43: a connection that sent too much beside data has nothing left to read`() throws {
        let context = try unsafe #require(SSL_CTX_new(TLS_client_method()))
        defer { unsafe SSL_CTX_free(context) }
        let ssl = try unsafe #require(SSL_new(context))
        defer { unsafe SSL_free(ssl) }
        unsafe SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        let place = unsafe UnsafeMutableRawPointer(bitPattern: Int(pippin_curl_count_place()))
        func receiveAlert() {
            unsafe pippin_curl_see_message(0, TLS1_2_VERSION, SSL3_RT_ALERT, [1, 90], 2, ssl, place)
        }

        for _ in 0..<200 { receiveAlert() }
        #expect(unsafe SSL_get_shutdown(ssl) == 0)
        #expect(unsafe Self.waits(SSL_get_rbio(ssl)))

        receiveAlert()
        #expect(unsafe SSL_get_shutdown(ssl) == SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        #expect(unsafe !Self.waits(SSL_get_rbio(ssl)), "the transfer would ask again at once, until its deadline")
    }

    /// Whether a reader that finds nothing is to come again.
    private static func waits(_ source: OpaquePointer?) -> Bool {
        var octet: UInt8 = 0
        let count = unsafe BIO_read(source, &octet, 1)
        return unsafe count <= 0 && BIO_test_flags(source, BIO_FLAGS_SHOULD_RETRY) != 0
    }

    /// Takes one connection; what came first.
    private static func answer(_ listener: Int32, with octets: [UInt8]) -> [UInt8] {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var hello = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(connection, &hello, hello.count, 0)
        unsafe send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
        var rest = [UInt8](repeating: 0, count: 4096)
        unsafe recv(connection, &rest, rest.count, 0)
        return Array(hello.prefix(max(0, count)))
    }

    /// ServerHello of TLS 1.2 with ECDHE-RSA-AES128-GCM-SHA256, and a Certificate message (RFC 5246 section 7.4).
    private static func greeting(_ certificates: [[UInt8]]) -> [UInt8] {
        let hello = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0xC0, 0x2F, 0, 0, 5, 0xFF, 1, 0, 1, 0]
        let list = counted(Array(certificates.map(counted).joined()))
        let messages = message(2, hello) + message(11, list)
        return [22, 3, 3, UInt8(messages.count >> 8), UInt8(messages.count & 0xFF)] + messages
    }

    private static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + counted(body) }

    private static func counted(_ octets: [UInt8]) -> [UInt8] {
        [0, UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
    }

    /// A certificate of that key, signed by nobody.
    private static func certificate(_ key: [UInt8]) -> [UInt8] {
        let signature = sequence(object([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let validity = sequence(value(0x17, Array("250101000000Z".utf8)), value(0x17, Array("490101000000Z".utf8)))
        let body = sequence(value(0x02, [1]), signature, sequence(), validity, sequence(), key)
        return sequence(body, signature, value(0x03, [0, 0]))
    }

    /// On y² = x³ + 1 over the prime 15 · 2^654 + 1, with compressed points: square roots cost the more, the oftener two
    /// divides one less than the prime.
    private static func keyOnOwnCurve(fieldType: UInt8) -> [UInt8] {
        let prime = [0x03, 0xC0] + [UInt8](repeating: 0, count: 80) + [1]
        func point(_ x: UInt8) -> [UInt8] { [2] + [UInt8](repeating: 0, count: 82) + [x] }
        let field = sequence(object([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01, fieldType]), value(0x02, prime))
        let curve = sequence(value(0x04, [0]), value(0x04, [1]))
        let parameters = sequence(value(0x02, [1]), field, curve, value(0x04, point(2)), value(0x02, [3]))
        return sequence(sequence(ecPublicKey, parameters), value(0x03, [0] + point(3)))
    }

    /// The generator of P-256 (SEC 2 section 2.4.2).
    private static var keyOnP256: [UInt8] {
        let x: [UInt8] = [
            0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77, 0x03,
            0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
        ]
        let curve = object([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
        return sequence(sequence(ecPublicKey, curve), value(0x03, [0, 3] + x))
    }

    private static let ecPublicKey = object([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])

    private static func object(_ octets: [UInt8]) -> [UInt8] { value(0x06, octets) }

    private static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, Array(parts.joined())) }

    /// DER: tag, length, octets.
    private static func value(_ tag: UInt8, _ octets: [UInt8]) -> [UInt8] {
        switch octets.count {
        case ..<128: [tag, UInt8(octets.count)] + octets
        case ..<256: [tag, 0x81, UInt8(octets.count)] + octets
        default: [tag, 0x82, UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
        }
    }
}
