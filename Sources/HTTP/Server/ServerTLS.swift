internal import CMicroHTTPD
internal import EventLoop

/// A certificate chain and its private key, both PEM text.
public struct ServerTLS: Equatable, Sendable {
    public let certificate: String
    let key: String

    /// - Parameter certificate: the server's own certificate first, each followed by its issuer's.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Whether both can be read and the key belongs to the certificate.
    public var isUsable: Bool { TLSCredential(self) != nil }
}

/// A certificate chain and key in GnuTLS's form; an open connection keeps its own.
// @unchecked Sendable: nothing changes after init, and GnuTLS allows use of the key on many threads (GnuTLS manual,
// "Thread safety": objects that are not written to).
@safe final class TLSCredential: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<pippin_tls_credential>

    init?(_ tls: ServerTLS) {
        guard let pointer = unsafe pippin_tls_read(tls.certificate, tls.key) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe pippin_tls_free(pointer) }

    func use(on connection: OpaquePointer) { unsafe pippin_tls_use(connection, pointer) }
}

// Certificate renewal.
extension Server {
    /// Uses another certificate for new connections; open ones keep theirs.
    ///
    /// Call it on the server's loop.
    ///
    /// - Returns: whether the certificate is usable and now in use; otherwise the previous one stays.
    public func renew(_ tls: ServerTLS) -> Bool {
        loop.preconditionCurrent()
        guard options.tls != nil, let credential = TLSCredential(tls) else { return false }
        self.credential = credential
        return true
    }
}
