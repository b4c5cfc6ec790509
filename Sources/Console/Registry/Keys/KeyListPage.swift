import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// List of a team's keys, newest first.
struct KeyListPage: ConsolePage {
    static let template = "console/keys/index"
    static let fields = frameFields.with {
        $0.optionalText("query") { $0.query }
        $0.list("rows", Row.fields) { $0.rows }
        $0.flag("hasAppIDs") { $0.hasAppIDs }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.optionalText("newURL") { $0.newURL }
        $0.optionalText("newAppIDURL") { $0.newAppIDURL }
        $0.list("appleKeys", AppleRow.fields) { $0.appleKeys }
        $0.optionalText("importURL") { $0.importURL }
    }

    struct Row: Sendable {
        let team: TeamID
        let key: Key

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
            $0.text("name") { $0.key.name }
            $0.text("id") { $0.key.id.rawValue }
            $0.text("appID") { $0.key.appID.rawValue }
            $0.group("state", BadgeView.fields) { $0.key.badge }
            $0.optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
        }
    }

    /// An imported Apple key, listed apart from the keys issued by this server.
    struct AppleRow: Sendable {
        let team: TeamID
        let key: AppleKey

        static let fields = Fields<AppleRow> {
            $0.text("url") { RegistryRoutes.appleKeys.one.link($0.team, $0.key.id) }
            $0.text("name") { $0.key.name }
            $0.text("id") { $0.key.id.rawValue }
            $0.text("appID") { $0.key.appID.rawValue }
        }
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
        guard isActive else { return BadgeView(.bad, Message("console.keys.state.revoked")) }
        return privateHalf == .awaitingDownload
            ? BadgeView(.warn, Message("console.keys.state.waiting"))
            : BadgeView(.good, Message("console.keys.state.active"))
    }
}
