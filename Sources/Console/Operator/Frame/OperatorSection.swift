import Templates

/// The sections of the operators' area, as its side bar lists them.
enum OperatorSection: String, Sendable {
    case health
    case teams
    case jobs
    case drift
    case mailbox

    static let fields = Fields<OperatorSection>()
        .flag("health") { $0 == .health }
        .flag("teams") { $0 == .teams }
        .flag("jobs") { $0 == .jobs }
        .flag("drift") { $0 == .drift }
        .flag("mailbox") { $0 == .mailbox }
}
