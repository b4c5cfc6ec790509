public import Registry
public import Tenancy

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
    var emailSources: [EmailSource] = []
    /// Those the file may speak of.
    var users: [RegisteredUser] = []

    /// Nil when there is no such team.
    var settings: TeamSettings? {
        if case .present(let settings) = state { settings } else { nil }
    }

    var policy: AddressPolicy { settings?.mode.policy ?? .hostNames }
}

extension TeamMode {
    /// Which addresses a team of this mode may register.
    public var policy: AddressPolicy {
        switch self {
        case .production: .hostNames
        case .sandbox: .hostNamesAndLoopback
        }
    }
}
