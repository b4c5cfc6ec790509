public import Platform

/// Where an installation answers: at the host of its public URL, and at its ports of this machine under whatever name.
public struct OwnAddress: Sendable {
    private let host: String
    private let ports: Set<Int>
    private let sampleOrigin: String?

    public init(_ server: ServerContext) {
        host = server.publicHost.lowercased()
        let port = HostPolicy.isLoopback(host) ? WebAddress.port(of: server.publicURL) : nil
        ports = Set([port, server.port].compactMap(\.self))
        sampleOrigin = server.sampleOrigin
    }

    /// Whether a URL leads here: each port of this machine is another program, whichever of its names is used.
    func isReached(by address: WebAddress) -> Bool {
        switch address.host {
        case .name(let name): name == host
        case .loopback: ports.contains(address.port) && address.origin != sampleOrigin
        }
    }
}
