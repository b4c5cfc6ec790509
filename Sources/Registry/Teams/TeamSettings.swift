import Core
public import Platform
public import Postgres

/// Settings of a team that an owner can change.
public struct TeamSettings: DeclaredSettings {
    @Required public var name: TeamName
    public var mode = TeamMode.production
    /// At least one, each once, in the order of `IdentitySource`.
    public private(set) var identitySources: [IdentitySource] = [.directory] {
        didSet { identitySources = IdentitySource.allCases.filter(identitySources.contains) }
    }
    public var secondFactor = SecondFactor.optional
    public var appleKeys = AppleKeyPublication.automatic

    public init() {}

    /// Returns nil without an identity source, because then no user could sign in.
    public init?(
        name: TeamName, mode: TeamMode, identitySources: Set<IdentitySource> = [.directory],
        secondFactor: SecondFactor = .optional
    ) {
        self.init()
        (self.name, self.mode, self.secondFactor) = (name, mode, secondFactor)
        guard let settings = drawing(on: identitySources) else { return nil }
        self = settings
    }

    /// Returns the settings with other identity sources; nil when there is none.
    public func drawing(on sources: Set<IdentitySource>) -> TeamSettings? {
        var settings = self
        settings.identitySources = Array(sources)
        return sources.isEmpty ? nil : settings
    }

    public static let all: [Setting<Self>] = [
        .line("name", \.$name) { text, _ throws(ValidationError) in try TeamName(parsing: text) },
        .choice("mode", \.mode),
        .list("identitySources", \.identitySources, atMost: IdentitySource.allCases.count, ifEmpty: .noIdentitySource) {
            text, _ throws(ValidationError) in try IdentitySource(choice: text)
        }, .choice("secondFactor", \.secondFactor), .choice("appleKeys", \.appleKeys),
    ]

    /// Reads the columns `name`, `mode`, `identity_sources`, `second_factor` and `apple_keys`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        mode = try row.next()
        identitySources = try row.next([String].self).compactMap(IdentitySource.init)
        secondFactor = try row.next()
        appleKeys = try row.next()
    }
}

/// How strict a team is about URLs.
public enum TeamMode: String, SQLText, CaseIterable, Sendable {
    case production
    /// Permits `http` return URLs on loopback; the team's pages show that it is a sandbox.
    case sandbox
}

/// Whether the key set of a team that is connected to Apple holds Apple's keys, too.
///
/// Backends of native apps verify the tokens of devices by them. A client with Apple's issuer cannot tell such a token
/// from one of Pippin's.
public enum AppleKeyPublication: String, SQLText, CaseIterable, Sendable {
    /// While no Service ID has Apple's issuer.
    case automatic
    /// Also beside Service IDs with Apple's issuer.
    case always
    case off

    public func isOn(besideAppleIssuer: Bool) -> Bool { self == .always || self == .automatic && !besideAppleIssuer }

    /// Whether to choose this after `old` takes a confirmation: an Apple token then passes where Apple's issuer is
    /// expected, whatever has ended here.
    public func takesConfirmation(after old: AppleKeyPublication?) -> Bool { self == .always && old != .always }
}
