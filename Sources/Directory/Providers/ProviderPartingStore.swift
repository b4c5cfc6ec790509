public import Bytes
public import Domain
public import Postgres

/// That somebody has parted from a provider, or from a group of apps there.
///
/// What the provider said of them before may still wait to be looked at: an answer whose browser did not come back, or comes
/// late. It brings nobody back, by whichever of the provider's names it knows them: on the way from one of its teams to
/// another they have a second one beside that of the transfer. Two clocks are kept apart: what happened here is held against when the answer came by the
/// database's, what the provider tells against when it came by ours.
public enum ProviderPartings {
    /// When and for which group of apps a provider said who came, where that may have waited since.
    public struct Proof: Sendable {
        let answeredAt: Timestamp
        let arrivedAt: Timestamp
        let group: ClientID

        /// - Parameters:
        ///   - answeredAt: by our clock.
        ///   - arrivedAt: by the clock of the database.
        public init(answeredAt: Timestamp, arrivedAt: Timestamp, for group: ClientID) {
            self.answeredAt = answeredAt
            self.arrivedAt = arrivedAt
            self.group = group
        }
    }

    /// Notes that a person parts, at this moment, from what is known of them at providers: run it while that is.
    ///
    /// - Parameters:
    ///   - provider: nil means every one.
    ///   - group: nil means every one.
    public static func noting(
        of subject: Subject,
        from provider: ProviderID? = nil,
        for group: ClientID? = nil,
        in team: TeamID
    ) -> SQL {
        let those: SQL =
            "team_id = \(team) AND sub = \(subject) AND (\(provider) IS NULL OR provider = \(provider))"
        return """
            INSERT INTO provider_partings AS known (team_id, provider, identifier_hash, app_id, ended_at)
            SELECT \(team), provider, hash, \(group?.rawValue ?? ""), clock_timestamp()
            FROM (
                SELECT provider, \(hash(of: "identifier")) AS hash FROM provider_identities WHERE \(those)
                UNION
                SELECT provider, \(hash(ofTransfer: "transfer_sub")) FROM provider_identities
                WHERE \(those) AND transfer_sub IS NOT NULL
            ) AS names ORDER BY hash
            ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
                SET ended_at = excluded.ended_at, noted_at = excluded.noted_at
            """
    }

    /// Notes that a provider tells of it, whether or not anybody here goes by that name.
    ///
    /// - Parameter moment: what it said until then is void.
    public static func noting(
        toldOf identifier: Subject,
        at provider: ProviderID,
        for group: ClientID?,
        until moment: Timestamp,
        in team: TeamID
    ) -> SQL {
        """
        INSERT INTO provider_partings AS known (team_id, provider, identifier_hash, app_id, told_at)
        SELECT \(team), \(provider), hash, \(group?.rawValue ?? ""), \(moment)
        FROM (
            SELECT \(hash(of: "\(identifier)")) AS hash
            UNION
            SELECT \(hash(ofTransfer: "transfer_sub")) FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
                AND transfer_sub IS NOT NULL
        ) AS names ORDER BY hash
        ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
            SET told_at = greatest(known.told_at, excluded.told_at), noted_at = excluded.noted_at
        """
    }

    /// How the table knows a name of the provider's for a person.
    fileprivate static func hash(of identifier: SQL) -> SQL {
        "sha256(convert_to(\(identifier), 'UTF8'))"
    }

    /// The same for one of a transfer, which is none of the others.
    fileprivate static func hash(ofTransfer name: SQL) -> SQL {
        "sha256(convert_to('transfer ' || \(name), 'UTF8'))"
    }
}

extension ProviderPersonStore.Arrival {
    /// Whether the person has not parted since the provider said that they came.
    func stands(_ team: TeamID) -> SQL {
        guard let proof else { return "true" }
        let name = ProviderPartings.hash(of: "\(identity.identifier)")
        let names: SQL =
            identity.transferSubject.map { "\(name), \(ProviderPartings.hash(ofTransfer: "\($0)"))" } ?? name
        return """
            NOT EXISTS (
                SELECT FROM provider_partings AS parting
                WHERE parting.team_id = \(team) AND parting.provider = \(provider)
                    AND parting.identifier_hash IN (\(names))
                    AND parting.app_id IN ('', \(proof.group.rawValue))
                    AND (parting.ended_at > \(proof.arrivedAt) OR parting.told_at > \(proof.answeredAt))
            )
            """
    }
}

extension ProviderPersonStore {
    /// Whether nothing was written of somebody who came because they have parted since.
    public func hasParted(_ arrival: Arrival, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.query("SELECT WHERE NOT (\(arrival.stands(team)))", in: team).count == 1
    }
}
