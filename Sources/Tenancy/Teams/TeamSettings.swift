import Bytes
public import Domain
public import Postgres

/// How strict a team is with addresses.
public enum TeamMode: String, SQLText, CaseIterable, Sendable {
    case production
    /// May register `http` return URLs on loopback, and says so on its pages.
    case sandbox
}

/// Where people of a team prove who they are.
public enum IdentitySource: String, SQLText, CaseIterable, Sendable {
    /// The team's own users and their passwords.
    case directory
    /// Apple, by the team's own key.
    case apple
}

/// What an owner may set of a team.
public struct TeamSettings: Hashable, Sendable {
    public var name: TeamName
    public var mode: TeamMode
    /// One at least, each once, in the order of `IdentitySource`.
    public private(set) var identitySources: [IdentitySource]
    public var secondFactor: SecondFactor

    /// Nil when there is no source of identities: nobody could sign in.
    public init?(
        name: TeamName,
        mode: TeamMode,
        identitySources: Set<IdentitySource> = [.directory],
        secondFactor: SecondFactor = .optional
    ) {
        guard !identitySources.isEmpty else { return nil }
        self.name = name
        self.mode = mode
        self.identitySources = IdentitySource.allCases.filter(identitySources.contains)
        self.secondFactor = secondFactor
    }

    /// The same with other sources of identities; nil when there is none.
    public func drawing(on sources: Set<IdentitySource>) -> TeamSettings? {
        TeamSettings(name: name, mode: mode, identitySources: sources, secondFactor: secondFactor)
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        mode = try row.next()
        identitySources = try row.next([String].self).compactMap(IdentitySource.init)
        secondFactor = try row.next()
    }

    /// For the audit log.
    var json: [String: JSONValue] {
        [
            "name": .string(name.rawValue), "mode": .string(mode.rawValue),
            "identitySources": .array(identitySources.map { .string($0.rawValue) }),
            "secondFactor": .string(secondFactor.rawValue),
        ]
    }
}
