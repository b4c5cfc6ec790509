import Registry
import Tenancy

/// What a team has before a file is applied to it.
struct RegisteredTeam: Sendable {
    enum State: Sendable {
        case absent
        case present(TeamSettings)
        /// Its id is not given out again.
        case deleted
    }

    var state = State.absent
    var appIDs: [AppID] = []
    var serviceIDs: [ServiceID] = []
    /// Revoked ones included: their ids are not used again.
    var keys: [Key] = []
    /// Keys from Apple, and what signs with them.
    var appleKeys: [AppleKey] = []
    var appleConnections: [AppleConnection] = []
    var emailSources: [EmailSource.Draft] = []
    /// Those the file may speak of.
    var users: [RegisteredUser] = []

    /// Where Pippin itself is reached, which no address of the team's may be.
    var publicURL = ""

    /// Nil when there is no such team.
    var settings: TeamSettings? {
        if case .present(let settings) = state { settings } else { nil }
    }

    var policy: AddressPolicy { policy(of: settings?.mode ?? .production) }

    /// Which addresses it may register in a mode.
    func policy(of mode: TeamMode) -> AddressPolicy {
        let policy: AddressPolicy = mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: publicURL)
    }
}
