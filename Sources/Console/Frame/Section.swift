import Templates

/// Section of a team's pages, as listed in the sidebar.
enum Section: String, Sendable {
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

    static let fields = Fields<Section> {
        $0.flag("overview") { $0 == .overview }
        $0.flag("appIDs") { $0 == .appIDs }
        $0.flag("serviceIDs") { $0 == .serviceIDs }
        $0.flag("keys") { $0 == .keys }
        $0.flag("apple") { $0 == .apple }
        $0.flag("emailSources") { $0 == .emailSources }
        $0.flag("signingKeys") { $0 == .signingKeys }
        $0.flag("notifications") { $0 == .notifications }
        $0.flag("users") { $0 == .users }
        $0.flag("traces") { $0 == .traces }
        $0.flag("audit") { $0 == .audit }
        $0.flag("checkup") { $0 == .checkup }
        $0.flag("members") { $0 == .members }
        $0.flag("settings") { $0 == .settings }
    }
}
