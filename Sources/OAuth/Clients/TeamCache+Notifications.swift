import Bytes
public import Domain
public import Notifications

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

    /// Apple's issuer if the group's backend expects it: the group has Service IDs, and all of them do.
    func issuer(for primaryAppID: ClientID) -> String {
        let services = team.services.values.filter { team.apps[$0.app]?.primaryAppID == primaryAppID }
        return !services.isEmpty && services.allSatisfy(\.issuesAsApple) ? appleIssuer : base
    }

    func validity(at moment: Timestamp) -> (issued: Timestamp, expires: Timestamp) {
        let issued = moment - TokenLifetime.backdating
        return (issued, issued + TokenLifetime.longestSigned)
    }

    func sign(_ claims: [UInt8], at moment: Timestamp) throws -> String { try team.sign(claims, at: moment) }
}
