import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Web

/// List of a team's users, with search and pages.
struct UserListPage: ConsolePage {
    static let template = "console/users/index"
    static let fields = frameFields.with {
        $0.optionalText("query") { $0.query }
        $0.text("invitationsURL") { UserInvitationRoutes.list.link($0.team) }
        $0.optionalText("appleTokensURL") { $0.hasAppleTokens ? AppleTokenRoutes.tokens.link($0.team) : nil }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    struct Row: Sendable {
        let user: User
        let team: TeamID

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.user.link($0.team, $0.user.subject) }
            $0.text("name") { $0.user.shownName }
            $0.text("email") { $0.user.email?.rawValue ?? "" }
            $0.flag("relay") { $0.user.relayAddress != nil }
            $0.text("sub") { $0.user.subject.rawValue }
            $0.group("created", TimeView.fields) { TimeView($0.user.createdAt) }
            $0.optionalGroup("lastSignIn", TimeView.fields) { $0.user.lastSignInAt.map { TimeView($0) } }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: String?
    /// Whether the team has an Apple connection, or Apple tokens that could not be revoked or validated.
    let hasAppleTokens: Bool
    let rows: [Row]
    let paging: PagingView
}

extension User {
    /// Display name: the name, else the email, else the `sub`.
    var shownName: String { name.isEmpty ? email?.rawValue ?? subject.rawValue : name.full }
}

extension UserPage.Total {
    var message: Message {
        switch self {
        case .exactly(let count): Message("console.users.found", count: count)
        case .moreThan(let count): Message("console.users.found-more", count: count)
        }
    }
}
