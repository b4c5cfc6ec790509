public import Core
import Directory
public import Platform
public import Postgres

/// Record that a user was unlinked from a provider, or from a group of apps there.
///
/// An earlier answer of the provider may still be waiting, because its browser did not come back or comes late. It must
/// not restore the user under any of the provider's identifiers: during a transfer from one of its teams to another, a
/// user has a second one besides that of the transfer. Two clocks are kept apart: local events are compared with the
/// arrival of the answer by the database's clock, reports of the provider with its arrival by the server's.
public enum UpstreamUnlinks {
    /// Times and group of apps of what proves a login: an answer of the provider, or a code that an app handed over.
    ///
    /// It may have waited since, for a browser or for the provider.
    public struct Proof: Sendable {
        let answeredAt: Timestamp
        let arrivedAt: Timestamp
        let primaryAppID: ClientID

        /// - Parameters:
        ///   - answeredAt: first arrival by the server's clock.
        ///   - arrivedAt: first arrival by the database's clock.
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

extension UpstreamUnlinks.Proof {
    /// Condition that a user was not unlinked since the proof arrived.
    func stands(for identity: UpstreamIdentity, at provider: ProviderID, in team: TeamID) -> SQL {
        let name = UpstreamUnlinks.hash(of: "\(identity.identifier)")
        let names: SQL =
            identity.transferSubject.map { "\(name), \(UpstreamUnlinks.hash(ofTransfer: "\($0)"))" } ?? name
        return """
            NOT EXISTS (
                SELECT FROM upstream_unlinks AS unlink
                WHERE unlink.team_id = \(team) AND unlink.provider = \(provider)
                    AND unlink.identifier_hash IN (\(names)) AND unlink.app_id IN ('', \(primaryAppID.rawValue))
                    AND (unlink.unlinked_at > \(arrivedAt) OR unlink.reported_at > \(answeredAt))
            )
            """
    }
}

extension UpstreamLogin {
    /// Condition on which every write of a login depends: the user was not unlinked since, is not suspended, and is
    /// known if the team does not admit new users.
    ///
    /// - Parameter known: an SQL expression of the `sub` of a user whose identity is known.
    func stands(_ team: TeamID, of known: SQL? = nil) -> SQL {
        let held: SQL = "\(isProved(team)) AND NOT \(isSuspended(team, known ?? linkedUser(team)))"
        return known == nil ? "\(held) AND \(isAdmitted(team))" : held
    }

    /// Condition that the provider's user is one of the team's, or may become one; an address makes nobody known.
    private func isAdmitted(_ team: TeamID) -> SQL {
        """
        (
            EXISTS (SELECT FROM upstream_identities WHERE \(same(team)))
            OR EXISTS (SELECT FROM users AS own WHERE own.team_id = \(team) AND own.sub = \(identity.identifier))
            OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = \(team) AND host.registration = 'open')
        )
        """
    }

    private func isProved(_ team: TeamID) -> SQL { proof.stands(for: identity, at: provider, in: team) }

    private func isSuspended(_ team: TeamID, _ subject: SQL) -> SQL {
        """
        EXISTS (
            SELECT FROM users AS held
            WHERE held.team_id = \(team) AND held.sub = \(subject) AND held.suspended_at IS NOT NULL
        )
        """
    }

    /// Query of what `UpstreamFailure(ofLogin:)` reads.
    func obstacle(in team: TeamID) -> SQL {
        """
        SELECT NOT \(isProved(team)), \(isSuspended(team, linkedUser(team))), NOT \(isAdmitted(team)), \(isTaken(team))
        """
    }
}

extension UpstreamFailure {
    /// The reason for which a login is not stored; nil if there is none.
    init?(ofLogin row: inout Row) throws(PostgresFailure) {
        var failure: UpstreamFailure?
        for obstacle in [UpstreamFailure.unlinked, .suspended, .registrationClosed, .subjectTaken] {
            if try row.next(Bool.self) { failure = failure ?? obstacle }
        }
        guard let failure else { return nil }
        self = failure
    }
}
