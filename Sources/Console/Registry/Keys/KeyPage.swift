import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one key: its one-time download, settings for client secrets, rotation, revocation.
struct KeyPage: ConsolePage {
    static let template = "console/keys/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.key.name }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.keys.copy"), $0.key.id.rawValue) }
        $0.group("state", BadgeView.fields) { $0.key.badge }
        $0.group("appID", appIDFields) { $0 }
        $0.optionalGroup("download", Download.fields) { $0.download }
        $0.group("fingerprint", CopyView.fields) {
            CopyView(Message("console.keys.copy.fingerprint"), $0.key.fingerprint)
        }
        $0.group("created", TimeView.fields) { TimeView($0.key.createdAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
        $0.optionalGroup("revoked", TimeView.fields) { $0.key.revokedAt.map(TimeView.init) }
        $0.list("settings", CopyView.fields) { $0.settings }
        $0.optionalGroup("rotation", Rotation.fields) { $0.rotation }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let appIDFields = Fields<KeyPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.key.appID) }
        $0.text("identifier") { $0.key.appID.rawValue }
    }

    struct Download: Sendable {
        let action: String
        let fileName: String

        static let fields = Fields<Download> {
            $0.text("action") { $0.action }
            $0.text("fileName") { $0.fileName }
        }
    }

    /// Active keys of the same App ID, to rotate without downtime.
    struct Rotation: Sendable {
        let team: TeamID
        let current: KeyID
        let keys: [Key]
        let newKeyURL: String?

        static let fields = Fields<Rotation> {
            $0.list("keys", Row.fields) { rotation in
                rotation.keys.map { Row(team: rotation.team, key: $0, isCurrent: $0.id == rotation.current) }
            }
            $0.optionalText("newKeyURL") { $0.newKeyURL }
        }

        struct Row: Sendable {
            let team: TeamID
            let key: Key
            let isCurrent: Bool

            static let fields = Fields<Row> {
                $0.text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
                $0.text("name") { $0.key.name }
                $0.text("id") { $0.key.id.rawValue }
                $0.optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
                $0.flag("current") { $0.isCurrent }
            }
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
