public import Core
import Directory
public import OAuth
public import Platform
public import Postgres

/// Record that a user was unlinked from a provider, or from a group of apps there.
///
/// An earlier answer of the provider may still be waiting, because its browser did not come back or comes late. It must
/// not restore the user under any of the provider's identifiers: during a transfer from one of its teams to another, a
/// user has a second one besides that of the transfer. Two clocks are kept apart: local events are compared with the
/// arrival of the answer by the database's clock, reports of the provider with its arrival by the server's.
public enum UpstreamUnlinks {
    /// Times and group of apps of a provider's answer that may have waited since.
    public struct Proof: Sendable {
        let answeredAt: Timestamp
        let arrivedAt: Timestamp
        let primaryAppID: ClientID

        /// - Parameters:
        ///   - answeredAt: arrival of the answer by the server's clock.
        ///   - arrivedAt: arrival of the answer by the database's clock.
        public init(answeredAt: Timestamp, arrivedAt: Timestamp, for primaryAppID: ClientID) {
            self.answeredAt = answeredAt
            self.arrivedAt = arrivedAt
            self.primaryAppID = primaryAppID
        }
    }

    /// Statement that records that a user is unlinked now; run it while the user's identities are stored.
    ///
    /// - Parameters:
    ///   - provider: nil for every provider.
    ///   - primaryAppID: nil for every group of apps.
    public static func noting(
        of subject: Subject, from provider: ProviderID? = nil, for primaryAppID: ClientID? = nil, in team: TeamID
    ) -> SQL {
        let those: SQL = "team_id = \(team) AND sub = \(subject) AND (\(provider) IS NULL OR provider = \(provider))"
        return """
            INSERT INTO upstream_unlinks AS known (team_id, provider, identifier_hash, app_id, unlinked_at)
            SELECT \(team), provider, hash, \(primaryAppID?.rawValue ?? ""), clock_timestamp()
            FROM (
                SELECT provider, \(hash(of: "identifier")) AS hash FROM upstream_identities WHERE \(those)
                UNION
                SELECT provider, \(hash(ofTransfer: "transfer_sub")) FROM upstream_identities
                WHERE \(those) AND transfer_sub IS NOT NULL
            ) AS names ORDER BY hash
            ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
                SET unlinked_at = excluded.unlinked_at, recorded_at = excluded.recorded_at
            """
    }

    /// Statement that records an unlink reported by a provider, whether or not the identifier is known here.
    ///
    /// - Parameter moment: answers of the provider until then are void.
    public static func noting(
        toldOf identifier: Subject, at provider: ProviderID, for primaryAppID: ClientID?, until moment: Timestamp,
        in team: TeamID
    ) -> SQL {
        """
        INSERT INTO upstream_unlinks AS known (team_id, provider, identifier_hash, app_id, reported_at)
        SELECT \(team), \(provider), hash, \(primaryAppID?.rawValue ?? ""), \(moment)
        FROM (
            SELECT \(hash(of: "\(identifier)")) AS hash
            UNION
            SELECT \(hash(ofTransfer: "transfer_sub")) FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
                AND transfer_sub IS NOT NULL
        ) AS names ORDER BY hash
        ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
            SET reported_at = greatest(known.reported_at, excluded.reported_at), recorded_at = excluded.recorded_at
        """
    }

    /// Hash under which the table stores a provider's identifier.
    fileprivate static func hash(of identifier: SQL) -> SQL { "sha256(convert_to(\(identifier), 'UTF8'))" }

    /// Hash of a transfer identifier, distinct from that of any other identifier.
    fileprivate static func hash(ofTransfer name: SQL) -> SQL { "sha256(convert_to('transfer ' || \(name), 'UTF8'))" }
}

extension UpstreamLogin {
    /// Condition that the user was not unlinked since the provider's answer.
    func stands(_ team: TeamID) -> SQL {
        guard let proof else { return "true" }
        let name = UpstreamUnlinks.hash(of: "\(identity.identifier)")
        let names: SQL =
            identity.transferSubject.map { "\(name), \(UpstreamUnlinks.hash(ofTransfer: "\($0)"))" } ?? name
        return """
            NOT EXISTS (
                SELECT FROM upstream_unlinks AS unlink
                WHERE unlink.team_id = \(team) AND unlink.provider = \(provider)
                    AND unlink.identifier_hash IN (\(names))
                    AND unlink.app_id IN ('', \(proof.primaryAppID.rawValue))
                    AND (unlink.unlinked_at > \(proof.arrivedAt) OR unlink.reported_at > \(proof.answeredAt))
            )
            """
    }
}

extension UpstreamIdentityStore {
    /// Whether a login was not stored because the user was unlinked since.
    public func isUnlinked(_ login: UpstreamLogin, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.query("SELECT WHERE NOT (\(login.stands(team)))", in: team).count == 1
    }
}

/// Identity of a user at a provider, with the data received at sign-in.
public struct LinkedIdentity: Sendable {
    /// Authorization of the apps by the user, as the provider reports it.
    public enum State: String, SQLText, Sendable {
        case authorized
        case revoked
        case transferred
    }

    /// Data received once in an unsigned form field: the name vault.
    public struct Vault: Sendable {
        public let givenName: String
        public let familyName: String
        public let email: String?
        public let receivedAt: Timestamp
    }

    public let provider: ProviderID
    /// The provider's identifier of the user.
    public let identifier: Subject
    /// Identifier of the user during a transfer from one of the provider's teams to another.
    public let transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real.
    public let realUserStatus: Int?
    /// Nil if none was received.
    public let vault: Vault?
    /// Address that the provider signed last, and whether it is one of the provider's relay addresses.
    public let email: EmailAddress?
    public let isEmailPrivate: Bool
    /// Time at which the user linked it to an existing account; nil for a user who signed up with it.
    public let linkedAt: Timestamp?
    public let state: State
    public let stateAt: Timestamp
    public let createdAt: Timestamp
    public let lastSeenAt: Timestamp
}

/// Condition that a provider account is still linked to a user who may sign in.
///
/// The final writes of a sign-in at the provider depend on it.
public struct UpstreamLinkStatus: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let identifier: Subject
    private let primaryAppID: ClientID?

    /// - Parameters:
    ///   - identifier: the provider's identifier of the user.
    ///   - primaryAppID: group of apps whose consent must exist, too; nil for none.
    public init(
        of subject: Subject, at provider: ProviderID, as identifier: Subject, consentingTo primaryAppID: ClientID? = nil
    ) {
        self.subject = subject
        self.provider = provider
        self.identifier = identifier
        self.primaryAppID = primaryAppID
    }

    /// Locks the user, as suspensions and unlinks do first, so that they wait for each other.
    public func lock(in team: TeamID) -> SQL { UserStore.lock(subject, in: team) }

    /// Locks the user of a provider's identifier.
    public static func lock(whomever provider: ProviderID, calls identifier: Subject, in team: TeamID) -> SQL {
        let person: SQL = """
            (SELECT sub FROM upstream_identities
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier))
            """
        return UserStore.lock(person, in: team)
    }

    /// Yields one row while the link is valid.
    public func row(in team: TeamID) -> SQL {
        """
        SELECT FROM upstream_identities AS standing
        WHERE standing.team_id = \(team) AND standing.provider = \(provider)
            AND standing.identifier = \(identifier) AND standing.sub = \(subject)
            AND standing.state = 'authorized' AND EXISTS (
                SELECT FROM users AS person
                WHERE person.team_id = \(team) AND person.sub = \(subject) AND person.suspended_at IS NULL
            ) \(consent(in: team))
        """
    }

    private func consent(in team: TeamID) -> SQL {
        guard let primaryAppID else { return "" }
        return """
            AND EXISTS (
                SELECT FROM consents AS given
                WHERE given.team_id = \(team) AND given.sub = \(subject) AND given.app_id = \(primaryAppID)
            )
            """
    }
}

/// The part of providers in the end of an authorization.
public struct UpstreamEndStatements: UpstreamEnds {
    public init() {}

    public func forgetting(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        UpstreamAnnouncement.removal(of: subject, for: primaryAppID, in: team)
    }

    public func announced(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        "SELECT 1 FROM upstream_announcements WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)"
    }

    public func unlinking(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        UpstreamUnlinks.noting(of: subject, for: primaryAppID, in: team)
    }

    public func tokenEnd(of subject: Subject, where condition: SQL, in team: TeamID) -> SQL {
        UpstreamTokenEnd.parts(ofThose: "sub = \(subject) AND state = 'live' AND \(condition)", in: team)
    }
}

extension AuthorizationEndStore {
    /// The store of an installation with providers.
    public init(_ database: TeamDatabase) { self.init(database, upstream: UpstreamEndStatements()) }
}

extension AuthorizationEnd {
    /// Ends the authorizations in the caller's transaction.
    public func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(statements(UpstreamEndStatements()))
    }
}
