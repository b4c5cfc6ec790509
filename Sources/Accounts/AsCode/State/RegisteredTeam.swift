import Directory
import Platform
import Postgres
import Registry

/// The stored state of a team before a file is applied.
struct RegisteredTeam: Sendable {
    enum State: Sendable {
        case absent
        case present(TeamSettings)
        /// Its id is not assigned again.
        case deleted
    }

    var state = State.absent
    var appIDs: [AppID] = []
    var serviceIDs: [ServiceID] = []
    /// Including revoked keys, because their ids are not used again.
    var keys: [Key] = []
    /// Apple keys, and the connections that use them.
    var appleKeys: [AppleKey] = []
    var appleConnections: [AppleConnection] = []
    var emailSources: [EmailSource.Draft] = []
    /// Users that the file can name.
    var users: [RegisteredUser] = []

    /// Pippin's own origin, which no team may register.
    var publicURL = ""

    /// Nil when there is no such team.
    var settings: TeamSettings? { if case .present(let settings) = state { settings } else { nil } }

    var policy: HostPolicy { policy(of: settings?.mode ?? .production) }

    /// The hosts that the team may register in a mode.
    func policy(of mode: TeamMode) -> HostPolicy {
        let policy: HostPolicy = mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: publicURL)
    }
}

/// A user as named by the registry file: by the login name.
struct RegisteredUser: Hashable, Sendable {
    let subject: Subject
    let login: LoginName
    let givenName: String
    let familyName: String
    let email: String?

    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        login = try row.next()
        givenName = try row.next()
        familyName = try row.next()
        email = try row.next()
    }
}
