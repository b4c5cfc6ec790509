import Bytes
import Localization
import OAuth
import Templates
import Web

/// Signing keys of a team, newest first.
struct SigningKeyPage: ConsolePage {
    static let template = "console/signing-keys/index"
    static let fields = frameFields.with {
        $0.group("keySet", CopyView.fields) { CopyView("jwks_uri", $0.keySetURL) }
        $0.list("rows", SigningKeyRow.fields) { $0.rows }
        $0.optionalText("rotateURL") { $0.rotateURL }
        $0.optionalWords("next") { $0.next }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let keySetURL: String
    let rows: [SigningKeyRow]
    /// Nil while a new key is waiting to sign, if the team is closed, or if the account may not rotate keys.
    let rotateURL: String?
    /// Time of the next automatic rotation; nil if the team is closed.
    let next: LocalizedText?
    let danger: DangerView?
}

/// A signing key in the list.
struct SigningKeyRow: Sendable {
    let key: TeamSigningKey
    let state: TeamSigningKey.State

    static let fields = Fields<SigningKeyRow> {
        $0.text("kid") { $0.key.kid }
        $0.text("algorithm") { _ in "RS256" }
        $0.words("size") { Message("console.signing-keys.bits", ["size": String($0.key.size)]) }
        $0.group("state", BadgeView.fields) { $0.badge }
        $0.group("signsFrom", TimeView.fields) { TimeView($0.key.activeFrom) }
        $0.optionalGroup("signsUntil", TimeView.fields) { $0.key.retiresAt.map(TimeView.init) }
        $0.optionalGroup("leaves", TimeView.fields) { $0.key.leavesAt.map(TimeView.init) }
    }

    private var badge: BadgeView {
        switch state {
        case .next: BadgeView(.plain, Message("console.signing-keys.state.next"))
        case .signing: BadgeView(.good, Message("console.signing-keys.state.signing"))
        case .published: BadgeView(.plain, Message("console.signing-keys.state.published"))
        case .expired: BadgeView(.plain, Message("console.signing-keys.state.over"))
        }
    }
}
