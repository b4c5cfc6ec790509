internal import CMicroHTTPD
internal import EventLoop

/// A certificate chain and its private key, both PEM text.
public struct ServerTLS: Equatable, Sendable {
    public let certificate: String
    let key: String

    /// - Parameter certificate: the server's own first, each followed by the one that signed it.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Whether a server can prove itself with them: both can be read, and they belong together.
    public var isUsable: Bool { TLSCredential(self) != nil }
}

/// What connections prove themselves with, as GnuTLS keeps it; those that are open hold on to theirs.
// @unchecked Sendable: nothing changes after init, and GnuTLS takes the key from many threads (GnuTLS manual, "Thread
// safety": objects that are not written to).
@safe final class TLSCredential: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<pippin_tls_credential>

    init?(_ tls: ServerTLS) {
        guard let pointer = unsafe pippin_tls_read(tls.certificate, tls.key) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe pippin_tls_free(pointer) }

    func use(on connection: OpaquePointer) {
        unsafe pippin_tls_use(connection, pointer)
    }
}

// Renewal.
extension Server {
    /// Has connections from now on prove themselves with another certificate; those that are open keep theirs.
    ///
    /// To be called on the server's loop.
    ///
    /// - Returns: whether it is usable, and taken; otherwise the one before stays.
    public func renew(_ tls: ServerTLS) -> Bool {
        loop.preconditionCurrent()
        guard options.tls != nil, let credential = TLSCredential(tls) else { return false }
        self.credential = credential
        return true
    }
}
