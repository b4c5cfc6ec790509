// AuthEngine: Sign in with Apple's protocol towards the apps of a team.
//
// Owns: what a team's registry looks like to the protocol, authorization requests, sign-in attempts, codes,
// tokens, signing keys, revocation, introspection, notices to apps, deletion of accounts, discovery, trials.
// Must not know: incoming HTTP, HTML, cookies; how a person proves who they are.
// Standards: RFC 6749 (OAuth 2.0), OpenID Connect Core 1.0, RFC 7636 (PKCE), RFC 7009 (revocation), RFC 7523 as
// Apple narrows it (client secrets), Apple's Sign in with Apple REST API, TN3107.

public import Bytes
public import Crypto
public import Domain
public import Log

/// What every part of the engine needs to know of its surroundings.
public struct EngineContext: Sendable {
    /// The address people and apps reach Pippin under, without a slash at its end.
    public let publicURL: String
    /// The host of relay addresses.
    public let relayDomain: String
    public let keyRing: KeyRing
    /// Whether a mail server takes mail; else it lands in the operators' mailbox.
    public let sendsMail: Bool
    public let random: RandomSource
    public let clock: @Sendable () -> Timestamp
    /// Where what goes wrong beside a request is written.
    public let log: Log

    public init(
        publicURL: String,
        relayDomain: String,
        keyRing: KeyRing,
        sendsMail: Bool = true,
        random: RandomSource = .system,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
        log: Log = Log(threshold: .warning)
    ) {
        self.publicURL = publicURL
        self.relayDomain = relayDomain
        self.keyRing = keyRing
        self.sendsMail = sendsMail
        self.random = random
        self.clock = clock
        self.log = log
    }

    /// The host of the public URL, without its port; it is a name or an IPv4 address.
    public var publicHost: String {
        let rest = publicURL.split(separator: "/").dropFirst().first ?? ""
        return String(rest.prefix { $0 != ":" })
    }

    /// The base of a team's addresses and, unless a Service ID asks for Apple's, the issuer of its tokens.
    public func base(of team: TeamID) -> String {
        "\(publicURL)/t/\(team)"
    }
}
