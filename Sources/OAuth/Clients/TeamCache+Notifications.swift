import Core
public import Platform

extension TeamCache: NotificationSigners {
    public func signer(of team: TeamID) async throws -> (any NotificationSigner)? {
        try await snapshot(of: team).map { TeamNotificationSigner(team: $0, base: server.base(of: team)) }
    }
}

/// A team that signs notifications with the key of its tokens.
private struct TeamNotificationSigner: NotificationSigner {
    let team: TeamSnapshot
    let base: String

    var isSandbox: Bool { team.isSandbox }

    /// Apple's issuer if the group's backend expects it: all its Service IDs do, or without any the primary App ID.
    func issuer(for primaryAppID: ClientID) -> String {
        let services = team.services.values.filter { team.apps[$0.app]?.primaryAppID == primaryAppID }
        let isApple =
            services.isEmpty ? team.apps[primaryAppID]?.issuesAsApple ?? false : services.allSatisfy(\.issuesAsApple)
        return isApple ? appleIssuer : base
    }

    func validity(at moment: Timestamp) -> (issued: Timestamp, expires: Timestamp) {
        let issued = moment - TokenLifetime.backdating
        return (issued, issued + TokenLifetime.longestSigned)
    }

    func sign(_ claims: [UInt8], at moment: Timestamp) throws -> String { try team.sign(claims, at: moment) }
}
