public import Domain
import Postgres

extension ServiceIDStore {
    /// Adds one return URL behind the others; its host must lie on a domain the Service ID has.
    ///
    /// - Returns: the Service ID as it is then, or nil when the team has none of that name.
    /// - Throws: `Refusal`, of which `limitReached` is that of the ten slots, else `PostgresFailure`.
    public func addReturnURL(
        _ text: String,
        to identifier: ClientID,
        policy: AddressPolicy,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws -> ServiceID? {
        try await database.transaction(in: team) { transaction in
            guard let current = try await Self.lock(identifier, in: team, transaction) else { return nil }
            let url = try ReturnURL(parsing: text, on: current.domains, policy: policy)
            guard !current.returnURLs.contains(url) else { throw Refusal.duplicate(text) }
            guard current.returnURLs.count < Limit.returnURLs.count else {
                throw Refusal.limitReached(.returnURLs, of: identifier.rawValue)
            }
            let draft = current.draft.adding(url)
            let update = try await update(
                to: draft,
                version: nil,
                in: team,
                by: actor,
                from: origin,
                transaction
            )
            guard case .saved(let changed) = update else { return nil }
            return changed
        }
    }
}

extension ServiceID.Draft {
    fileprivate func adding(_ url: ReturnURL) -> ServiceID.Draft {
        ServiceID.Draft(
            identifier: identifier,
            appID: appID,
            description: description,
            domains: domains,
            returnURLs: returnURLs + [url],
            issuer: issuer,
            booleans: booleans,
            requiresPKCE: requiresPKCE
        )
    }
}
