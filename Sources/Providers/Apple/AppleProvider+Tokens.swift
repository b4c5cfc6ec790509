public import AuthEngine

// What becomes of the tokens that Apple gave.
extension AppleProvider {
    /// One call for one token, as the client it was given to (Apple, "Revoke tokens").
    ///
    /// The registration counts whether or not people may still sign in by way of it.
    public func revoke(
        _ token: ProviderToken,
        text: String,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) {
        try await calls.revoke(text, as: token.clientID, of: try registration(of: token, in: team))
    }

    /// A token is dead by Apple's `invalid_grant`, and by `invalid_request` once that cannot be about us.
    public func isAlive(
        _ token: ProviderToken,
        text: String,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> Bool {
        let registration = try registration(of: token, in: team)
        switch try await calls.validate(text, as: token.clientID, of: registration) {
        case .alive: return true
        case .dead: return false
        case .unclear:
            try await calls.proveConfiguration(as: token.clientID, of: registration)
            return false
        }
    }

    private func registration(
        of token: ProviderToken,
        in team: TeamSnapshot
    ) throws(ProviderFailure) -> AppleRegistration {
        guard let registration = team.appleTokenRegistration(of: token.group) else {
            throw ProviderFailure(
                .providerAbsent,
                .none,
                because: "the group of \(token.group) is not connected to Apple any more"
            )
        }
        return registration
    }
}
