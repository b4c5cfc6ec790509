public import Core
public import Crypto
public import HTTP

/// Configuration and services of the server that every part of the engine uses.
public struct ServerContext: Sendable {
    /// The base URL under which browsers and apps reach Pippin, without a trailing slash.
    public let publicURL: String
    /// The port of this machine at which the server listens; nil where nobody reaches it by that.
    public let port: Int?
    /// Origin of the demo's sample app, which the server itself plays at another name of this machine.
    public let sampleOrigin: String?
    /// The domain of relay addresses.
    public let relayDomain: String
    public let keyRing: KeyRing
    /// Whether a mail server accepts mail; otherwise mail goes to the operators' mailbox.
    public let sendsMail: Bool
    public let random: RandomSource
    public let clock: @Sendable () -> Timestamp
    /// Closed in a copy of an installation, as the database says.
    public let gate = OutgoingGate()
    /// The log for failures outside the response to a request.
    public let log: Log

    public init(
        publicURL: String, port: Int? = nil, sampleOrigin: String? = nil, relayDomain: String, keyRing: KeyRing,
        sendsMail: Bool = true, random: RandomSource = .system,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp.now() }, log: Log = Log(threshold: .warning)
    ) {
        self.publicURL = publicURL
        (self.port, self.sampleOrigin) = (port, sampleOrigin)
        self.relayDomain = relayDomain
        self.keyRing = keyRing
        self.sendsMail = sendsMail
        self.random = random
        self.clock = clock
        self.log = log
    }

    /// The host of the public URL without its port: a name or an IPv4 address.
    public var publicHost: String {
        let rest = publicURL.split(separator: "/").dropFirst().first ?? ""
        return String(rest.prefix { $0 != ":" })
    }

    /// The base URL of a team and, unless a Service ID is set to Apple's issuer, the issuer of its tokens.
    public func base(of team: TeamID) -> String { "\(publicURL)/t/\(team)" }
}
