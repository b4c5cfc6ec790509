import Templates

/// Sections of the operators' area, in the order of its side bar.
enum OperatorSection: String, Sendable {
    case health
    case teams
    case jobs
    case drift
    case mailbox

    static let fields = Fields<OperatorSection> {
        $0.flag("health") { $0 == .health }
        $0.flag("teams") { $0 == .teams }
        $0.flag("jobs") { $0 == .jobs }
        $0.flag("drift") { $0 == .drift }
        $0.flag("mailbox") { $0 == .mailbox }
    }
}
