import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Web

/// Second factors of a user, with the form that removes them.
struct UserFactorPage: ConsolePage {
    static let template = "console/users/factors"
    static let fields = frameFields.with {
        $0.text("userURL") { ConsoleRoutes.user.link($0.team, $0.user.subject) }
        $0.text("name") { $0.user.shownName }
        $0.list("factors", UserFactorRow.fields) { $0.factors.map(UserFactorRow.init) }
        $0.words("codesLeft") { Message("console.user-factors.codes", count: $0.codesLeft).localizedText }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let user: User
    let factors: [FactorSummary]
    /// Number of unused recovery codes.
    let codesLeft: Int
    /// Nil if the user has no second factor, or if the account may not remove them.
    let danger: DangerView?
}

/// A second factor in the list.
struct UserFactorRow: Sendable {
    let factor: FactorSummary

    static let fields = Fields<UserFactorRow> {
        $0.words("title") { $0.title }
        $0.group("added", TimeView.fields) { TimeView($0.factor.addedAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.factor.lastUsedAt.map { TimeView($0) } }
    }

    private var title: LocalizedText {
        switch (factor.kind, factor.name) {
        case (.passkey, let name?): Message("console.user-factors.passkey", ["name": name]).localizedText
        default: Message("console.user-factors.totp").localizedText
        }
    }
}
