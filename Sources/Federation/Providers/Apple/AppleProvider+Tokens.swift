public import OAuth

// Revocation and validation of Apple's refresh tokens.
extension AppleProvider {
    /// Revokes a token, as the client it was issued to (Apple, "Revoke tokens").
    ///
    /// The registration is used whether or not users may still sign in through it.
    public func revoke(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure) {
        try await calls.revoke(text, as: token.clientID, of: try registration(of: token, in: team))
    }

    /// A token is dead on Apple's `invalid_grant`, and on `invalid_request` once the configuration is ruled out as its
    /// cause.
    public func isAlive(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure)
        -> Bool
    {
        let registration = try registration(of: token, in: team)
        switch try await calls.validate(text, as: token.clientID, of: registration) {
        case .alive: return true
        case .dead: return false
        case .unclear:
            try await calls.proveConfiguration(as: token.clientID, of: registration)
            return false
        }
    }

    private func registration(of token: UpstreamToken, in team: TeamSnapshot) throws(UpstreamFailure)
        -> AppleRegistration
    {
        guard let registration = team.appleTokenRegistration(of: token.primaryAppID) else {
            throw UpstreamFailure(
                .providerAbsent, .none, because: "the group of \(token.primaryAppID) is not connected to Apple any more"
            )
        }
        return registration
    }
}
