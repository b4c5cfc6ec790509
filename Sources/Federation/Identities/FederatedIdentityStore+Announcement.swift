public import Directory
public import Platform
public import Postgres

// Users announced by native apps.
extension FederatedIdentityStore {
    /// User whom an announcement refers to.
    public enum Announced: Sendable {
        case stranger
        case linkedUser(User)
        /// The provider's identifier belongs to another user here; nothing is stored.
        case taken
    }

    /// Stores an announcement; durable on return if it has a name.
    public func announce(_ announcement: ProviderAnnouncement, in team: TeamID) async throws(PostgresFailure)
        -> Announced
    {
        let statements = [
            announcement.turn(in: team), announcement.insertion(in: team), announcement.residence(in: team),
        ]
        guard var row = try await database.query(statements, in: team).first else { return .stranger }
        let user = try User(&row)
        let isTaken: Bool = try row.next()
        return isTaken ? .taken : .linkedUser(user)
    }

    /// Ends an announcement that did not lead to a sign-in.
    ///
    /// - Parameter isRefused: whether the provider rejected it. A name that the provider may have confirmed, in this
    ///   try or an earlier one, is kept for the user's next sign-in.
    public func dismiss(_ announcement: ProviderAnnouncement, isRefused: Bool, in team: TeamID)
        async throws(PostgresFailure)
    { try await database.query(announcement.dismissal(isRefused: isRefused, in: team), in: team) }

    /// Result of storing a login that the provider has confirmed.
    public enum Recorded: Sendable {
        case known(Known)
        /// The provider's identifier belongs to another user here.
        case taken
        /// The user has been unlinked from the provider since the announcement.
        case parted
    }

    /// Stores a login as `record(_:in:)` does, unless the user has been unlinked from the provider meanwhile.
    ///
    /// - Parameter announcement: nil if the login was not announced; then an unlink is detected only while the identity
    ///   is stored.
    public func record(_ login: Login, announcedBy announcement: ProviderAnnouncement?, in team: TeamID) async throws
        -> Recorded
    {
        // Finds only identities in state `authorized`.
        if let known = try await recognise(login, in: team) { return .known(known) }
        return try await database.transaction(in: team) { transaction in
            // The user is locked first, as an unlink does too.
            let status = announcement?.removal(in: team) ?? login.status(in: team)
            guard try await !transaction.query([login.lock(in: team), status]).isEmpty else { return .parted }
            let known = try await write(login, in: team) { statements throws(PostgresFailure) in
                try await transaction.query(statements)
            }
            return known.map { .known($0) } ?? .taken
        }
    }
}

extension FederatedIdentityStore.Login {
    func lock(in team: TeamID) -> SQL { UserStore.lock(linkedUser(team), in: team) }

    /// Yields a row unless the identity was revoked after the login.
    fileprivate func status(in team: TeamID) -> SQL {
        """
        SELECT 1 WHERE NOT EXISTS (
            SELECT FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                AND state = 'revoked' AND state_at > \(at)
        )
        """
    }
}
