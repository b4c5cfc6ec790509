import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// The keys of a team, newest first.
struct KeyListPage: ConsolePage {
    static let template = "console/keys/index"
    static let fields =
        frameFields
        .optionalText("query") { $0.query }
        .list("rows", Row.fields) { $0.rows }
        .flag("hasAppIDs") { $0.hasAppIDs }
        .group("paging", PagingView.fields) { $0.paging }
        .optionalText("newURL") { $0.newURL }
        .optionalText("newAppIDURL") { $0.newAppIDURL }
        .list("appleKeys", AppleRow.fields) { $0.appleKeys }
        .optionalText("importURL") { $0.importURL }

    struct Row: Sendable {
        let team: TeamID
        let key: Key

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
            .text("name") { $0.key.name }
            .text("id") { $0.key.id.rawValue }
            .text("appID") { $0.key.appID.rawValue }
            .group("state", BadgeView.fields) { $0.key.badge }
            .optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
    }

    /// A key from Apple, apart from those that are issued here.
    struct AppleRow: Sendable {
        let team: TeamID
        let key: AppleKey

        static let fields = Fields<AppleRow>()
            .text("url") { RegistryRoutes.appleKeys.one.link($0.team, $0.key.id) }
            .text("name") { $0.key.name }
            .text("id") { $0.key.id.rawValue }
            .text("appID") { $0.key.appID.rawValue }
    }

    let frame: ConsoleFrame
    let query: String?
    let rows: [Row]
    let hasAppIDs: Bool
    let paging: PagingView
    let newURL: String?
    let newAppIDURL: String?
    let appleKeys: [AppleRow]
    let importURL: String?
}

extension Key {
    var badge: BadgeView {
        guard isActive else { return BadgeView(.bad, Phrase("console.keys.state.revoked")) }
        return privateHalf == .awaitingDownload
            ? BadgeView(.warn, Phrase("console.keys.state.waiting"))
            : BadgeView(.good, Phrase("console.keys.state.active"))
    }
}
