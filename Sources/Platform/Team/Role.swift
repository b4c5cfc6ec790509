public import Postgres

/// Role of a console account in a team.
public enum Role: String, SQLText, CaseIterable, Sendable {
    /// Operator of the installation: a member of the system team.
    case `operator`
    case owner
    case admin
    case developer
    case auditor

    /// Rights that the role grants in its team.
    public var rights: Set<Right> {
        switch self {
        case .operator: []
        case .owner: Set(Right.allCases)
        case .admin: Set(Right.allCases).subtracting([.dangerZone])
        case .developer: [.read, .changeRegistry]
        case .auditor: [.read, .exportAudit]
        }
    }

    /// Whether a member with this role may invite, change or remove a member with the role `other` in the same team.
    public func mayManage(_ other: Role) -> Bool {
        switch self {
        case .owner: other != .operator
        case .admin: other == .admin || other == .developer || other == .auditor
        case .operator, .developer, .auditor: false
        }
    }
}
