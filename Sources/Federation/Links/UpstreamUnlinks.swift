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
