internal import Glibc

/// Reason why a server did not start.
public enum ServerFailure: Error, Equatable, Sendable {
    /// The port is in use by another process, or by another server of this one.
    case portInUse(address: IPAddress, port: UInt16)
    /// The system rejected the address or the port.
    case cannotListen(address: IPAddress, port: UInt16, errno: Int32)
    /// libmicrohttpd did not start; with TLS, most often because of the key or the certificate.
    case cannotStart(withTLS: Bool)
    /// The event loop could not watch the server's descriptors.
    case cannotWatch(errno: Int32)
}

extension ServerFailure: CustomStringConvertible {
    /// One sentence for the operator.
    public var description: String {
        switch self {
        case .portInUse(let address, let port):
            "port \(port) of \(address.description) is in use: stop what listens there, or choose another (--listen HOST:PORT)"
        case .cannotListen(let address, let port, let errno):
            "cannot listen on port \(port) of \(address.description): \(Self.reason(errno))"
        case .cannotStart(let withTLS):
            withTLS
                ? "the server does not start with this certificate and key: do they belong together?"
                : "the server does not start"
        case .cannotWatch(let errno): "the loop cannot watch the server: \(Self.reason(errno))"
        }
    }

    private static func reason(_ errno: Int32) -> String {
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }
}
