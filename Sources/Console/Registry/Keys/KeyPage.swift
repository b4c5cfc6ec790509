import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One key: its one download, where it is used, its revocation.
struct KeyPage: ConsolePage {
    static let template = "console/keys/show"
    static let fields =
        frameFields
        .text("name") { $0.key.name }
        .group("keyID", CopyView.fields) { CopyView(Phrase("console.keys.copy"), $0.key.id.rawValue) }
        .group("state", BadgeView.fields) { $0.key.badge }
        .group("appID", appIDFields) { $0 }
        .optionalGroup("download", Download.fields) { $0.download }
        .group("fingerprint", CopyView.fields) {
            CopyView(Phrase("console.keys.copy.fingerprint"), $0.key.fingerprint)
        }
        .group("created", TimeView.fields) { TimeView($0.key.createdAt) }
        .optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
        .optionalGroup("revoked", TimeView.fields) { $0.key.revokedAt.map(TimeView.init) }
        .list("settings", CopyView.fields) { $0.settings }
        .optionalGroup("rotation", Rotation.fields) { $0.rotation }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    private static let appIDFields = Fields<KeyPage>()
        .text("url") { ConsoleRoutes.appID.link($0.team, $0.key.appID) }
        .text("identifier") { $0.key.appID.rawValue }

    struct Download: Sendable {
        let action: String
        let fileName: String

        static let fields = Fields<Download>()
            .text("action") { $0.action }
            .text("fileName") { $0.fileName }
    }

    /// The keys of its App ID side by side.
    struct Rotation: Sendable {
        let team: TeamID
        let current: KeyID
        let keys: [Key]
        let newKeyURL: String?

        static let fields = Fields<Rotation>()
            .list("keys", Row.fields) { rotation in
                rotation.keys.map { Row(team: rotation.team, key: $0, isCurrent: $0.id == rotation.current) }
            }
            .optionalText("newKeyURL") { $0.newKeyURL }

        struct Row: Sendable {
            let team: TeamID
            let key: Key
            let isCurrent: Bool

            static let fields = Fields<Row>()
                .text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
                .text("name") { $0.key.name }
                .text("id") { $0.key.id.rawValue }
                .optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
                .flag("current") { $0.isCurrent }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let key: Key
    let download: Download?
    let settings: [CopyView]
    let rotation: Rotation?
    let danger: DangerView?
}
