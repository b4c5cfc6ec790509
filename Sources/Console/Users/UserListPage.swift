import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The people of a team, searched and paged.
struct UserListPage: ConsolePage {
    static let template = "console/users/index"
    static let fields =
        frameFields
        .optionalText("query") { $0.query }
        .text("invitationsURL") { UserInvitationRoutes.list.link($0.team) }
        .optionalText("appleTokensURL") { $0.hasAppleTokens ? AppleTokenRoutes.tokens.link($0.team) : nil }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    struct Row: Sendable {
        let user: User
        let team: TeamID

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.user.link($0.team, $0.user.subject) }
            .text("name") { $0.user.shownName }
            .text("email") { $0.user.email?.rawValue ?? "" }
            .flag("relay") { $0.user.relayAddress != nil }
            .text("sub") { $0.user.subject.rawValue }
            .group("created", TimeView.fields) { TimeView($0.user.createdAt) }
            .optionalGroup("lastSignIn", TimeView.fields) { $0.user.lastSignInAt.map { TimeView($0) } }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: String?
    /// Whether the team is at Apple, or left tokens there.
    let hasAppleTokens: Bool
    let rows: [Row]
    let paging: PagingView
}

extension User {
    /// What a page calls somebody who may have given neither name nor address.
    var shownName: String {
        name.isEmpty ? email?.rawValue ?? subject.rawValue : name.full
    }
}

extension UserPage.Total {
    var phrase: Phrase {
        switch self {
        case .exactly(let count): Phrase("console.users.found", count: count)
        case .moreThan(let count): Phrase("console.users.found-more", count: count)
        }
    }
}
