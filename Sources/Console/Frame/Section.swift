import Templates

/// Section of a team's pages, as listed in the sidebar.
enum Section: String, CaseIterable, Sendable {
    case overview
    case appIDs
    case serviceIDs
    case keys
    case apple
    case emailSources
    case signingKeys
    case users
    case traces
    case notifications
    case audit
    case checkup
    case members
    case settings

    static let fields = Fields<Section> { fields in
        for section in allCases { fields.flag(section.rawValue) { $0 == section } }
    }
}

/// Sections of the operators' area, in the order of its side bar.
enum OperatorSection: String, CaseIterable, Sendable {
    case health
    case teams
    case jobs
    case drift
    case mailbox

    static let fields = Fields<OperatorSection> { fields in
        for section in allCases { fields.flag(section.rawValue) { $0 == section } }
    }
}
