public import Domain
public import Postgres

// Those whom a native app announces.
extension ProviderPersonStore {
    /// Whom an announcement is about.
    public enum Announced: Sendable {
        case stranger
        case resident(User)
        /// The provider's name for them is somebody else's here; nothing is kept.
        case taken
    }

    /// Lays an announcement aside: durable when this returns, where it has a name.
    public func announce(
        _ announcement: ProviderAnnouncement,
        in team: TeamID
    ) async throws(PostgresFailure) -> Announced {
        let statements = [
            announcement.turn(in: team), announcement.insertion(in: team), announcement.residence(in: team),
        ]
        guard var row = try await database.query(statements, in: team).first else { return .stranger }
        let user = try User(&row)
        let isTaken: Bool = try row.next()
        return isTaken ? .taken : .resident(user)
    }

    /// Ends an announcement that led nowhere.
    ///
    /// - Parameter isRefused: that the provider knows nothing of it. A name that it may have confirmed, in this try or an
    ///   earlier one, waits for the person's next sign-in.
    public func dismiss(
        _ announcement: ProviderAnnouncement,
        isRefused: Bool,
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await database.query(announcement.dismissal(isRefused: isRefused, in: team), in: team)
    }

    /// What became of somebody whom the provider has confirmed.
    public enum Recorded: Sendable {
        case known(Known)
        /// The provider's name for them is somebody else's here.
        case taken
        /// They have parted from the provider since they were announced.
        case parted
    }

    /// Stores who came, as `record` does, where they have not parted from the provider meanwhile.
    ///
    /// - Parameter announcement: nil where nobody was named before; then a parting is known while the person is.
    public func record(
        _ arrival: Arrival,
        announcedBy announcement: ProviderAnnouncement?,
        in team: TeamID
    ) async throws -> Recorded {
        // Finds those alone who stand authorized.
        if let known = try await recognise(arrival, in: team) { return .known(known) }
        return try await database.transaction(in: team) { transaction in
            // The person first: whoever parts them from the provider does so, too.
            let standing = announcement?.removal(in: team) ?? arrival.standing(in: team)
            guard try await !transaction.query([arrival.lock(in: team), standing]).isEmpty else {
                return .parted
            }
            let known = try await write(arrival, in: team) { statements throws(PostgresFailure) in
                try await transaction.query(statements)
            }
            return known.map { .known($0) } ?? .taken
        }
    }
}

extension ProviderPersonStore.Arrival {
    func lock(in team: TeamID) -> SQL {
        UserStore.lock(resident(team), in: team)
    }

    /// Yields a row unless the person has parted since they came.
    fileprivate func standing(in team: TeamID) -> SQL {
        """
        SELECT 1 WHERE NOT EXISTS (
            SELECT FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                AND state = 'revoked' AND state_at > \(at)
        )
        """
    }
}
