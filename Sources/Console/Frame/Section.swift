import Templates

/// The sections of a team, as the side bar lists them.
enum Section: String, Sendable {
    case overview
    case appIDs
    case serviceIDs
    case keys
    case apple
    case emailSources
    case signingKeys
    case users
    case flows
    case notices
    case audit
    case checkup
    case members
    case settings

    static let fields = Fields<Section>()
        .flag("overview") { $0 == .overview }
        .flag("appIDs") { $0 == .appIDs }
        .flag("serviceIDs") { $0 == .serviceIDs }
        .flag("keys") { $0 == .keys }
        .flag("apple") { $0 == .apple }
        .flag("emailSources") { $0 == .emailSources }
        .flag("signingKeys") { $0 == .signingKeys }
        .flag("notices") { $0 == .notices }
        .flag("users") { $0 == .users }
        .flag("flows") { $0 == .flows }
        .flag("audit") { $0 == .audit }
        .flag("checkup") { $0 == .checkup }
        .flag("members") { $0 == .members }
        .flag("settings") { $0 == .settings }
}
