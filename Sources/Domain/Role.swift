public import Postgres

/// What a console account is in a team.
public enum Role: String, SQLText, CaseIterable, Sendable {
    /// Of the installation: a member of the system team.
    case `operator`
    case owner
    case admin
    case developer
    case auditor

    /// What the role may do in its team.
    public var rights: Set<Right> {
        switch self {
        case .operator: []
        case .owner: Set(Right.allCases)
        case .admin: Set(Right.allCases).subtracting([.dangerZone])
        case .developer: [.read, .changeRegistry]
        case .auditor: [.read, .exportAudit]
        }
    }

    /// Whether a member of this role may invite, change or remove one of that role in the same team.
    public func mayManage(_ other: Role) -> Bool {
        switch self {
        case .owner: other != .operator
        case .admin: other == .admin || other == .developer || other == .auditor
        case .operator, .developer, .auditor: false
        }
    }
}

/// Something a route may ask of the person before it.
public enum Right: CaseIterable, Hashable, Sendable {
    /// Every page of the team, secrets apart.
    case read
    /// Taking the audit log along, and holding it against its seals.
    case exportAudit
    /// App IDs, Service IDs, domains and return URLs; trials.
    case changeRegistry
    case changeKeys
    case changeUsers
    case changeMembers
    case changeSettings
    case dangerZone
}
