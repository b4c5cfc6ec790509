public import Platform

/// Where an installation answers: at the host of its public URL, and at its ports of this machine under whatever name.
public struct OwnAddress: Sendable {
    private let host: String
    private let publicPort: Int?
    private let port: Int?
    private let sampleOrigin: String?

    public init(_ server: ServerContext) {
        host = server.publicHost.lowercased()
        publicPort = HostPolicy.isLoopback(host) ? WebAddress.port(of: server.publicURL) : nil
        port = server.port
        sampleOrigin = server.sampleOrigin
    }

    /// Whether a URL leads here: each port of this machine is another program, whichever of its names is used.
    ///
    /// - Parameter isOpenedByBrowsers: whether loopback is the machine of a browser, which is this one only if the public URL
    ///   is loopback.
    func isReached(by address: WebAddress, isOpenedByBrowsers: Bool) -> Bool {
        switch address.host {
        case .name(let name): return name == host
        case .loopback:
            let ports = isOpenedByBrowsers && publicPort == nil ? [] : [publicPort, port]
            return ports.contains(address.port) && address.origin != sampleOrigin
        }
    }
}
