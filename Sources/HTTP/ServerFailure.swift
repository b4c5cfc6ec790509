import Glibc

/// Why a server did not start.
public enum ServerFailure: Error, Equatable, Sendable {
    /// Another process, or another server of this one, listens there.
    case portInUse(address: IPAddress, port: UInt16)
    /// The system refused the address or the port.
    case cannotListen(address: IPAddress, port: UInt16, errno: Int32)
    /// libmicrohttpd did not start; with TLS, most often because of key or certificate.
    case cannotStart(withTLS: Bool)
    /// The loop could not watch the server.
    case cannotWatch(errno: Int32)
}

extension ServerFailure: CustomStringConvertible {
    /// One sentence for the person who started it.
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
