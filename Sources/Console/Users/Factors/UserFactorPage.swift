import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The second factors of one person, and the form that takes them away.
struct UserFactorPage: ConsolePage {
    static let template = "console/users/factors"
    static let fields =
        frameFields
        .text("userURL") { ConsoleRoutes.user.link($0.team, $0.user.subject) }
        .text("name") { $0.user.shownName }
        .list("factors", UserFactorRow.fields) { $0.factors.map(UserFactorRow.init) }
        .words("codesLeft") { Phrase("console.user-factors.codes", count: $0.codesLeft).asWords }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    let frame: ConsoleFrame
    let team: TeamID
    let user: User
    let factors: [FactorSummary]
    /// Recovery codes that were not used yet.
    let codesLeft: Int
    /// Absent where there is nothing to take, and for those who may not.
    let danger: DangerView?
}

/// A second factor as the page shows it.
struct UserFactorRow: Sendable {
    let factor: FactorSummary

    static let fields = Fields<UserFactorRow>()
        .words("title") { $0.title }
        .group("added", TimeView.fields) { TimeView($0.factor.addedAt) }
        .optionalGroup("lastUsed", TimeView.fields) { $0.factor.lastUsedAt.map { TimeView($0) } }

    private var title: Words {
        switch (factor.kind, factor.name) {
        case (.passkey, let name?): Phrase("console.user-factors.passkey", ["name": name]).asWords
        default: Phrase("console.user-factors.totp").asWords
        }
    }
}
