import AuthEngine
import Bytes
import Templates
import Web

/// The keys of a team's tokens, the newest first.
struct SigningKeyPage: ConsolePage {
    static let template = "console/signing-keys/index"
    static let fields =
        frameFields
        .group("keySet", CopyView.fields) { CopyView("jwks_uri", $0.keySetURL) }
        .list("rows", SigningKeyRow.fields) { $0.rows }
        .optionalText("rotateURL") { $0.rotateURL }
        .optionalWords("next") { $0.next }
        .optionalWords("error") { $0.error }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    let frame: ConsoleFrame
    let keySetURL: String
    let rows: [SigningKeyRow]
    /// Absent while a key is waiting, or for those who may not.
    let rotateURL: String?
    /// When another key comes by itself; nil where none comes any more.
    let next: Words?
    /// Why no key was made, and when one can be.
    let error: Phrase?
    let danger: DangerView?
}

/// One key.
struct SigningKeyRow: Sendable {
    let key: TeamSigningKey
    let state: TeamSigningKey.State

    static let fields = Fields<SigningKeyRow>()
        .text("kid") { $0.key.kid }
        .text("algorithm") { _ in "RS256" }
        .words("size") { Phrase("console.signing-keys.bits", ["size": String($0.key.size)]) }
        .group("state", BadgeView.fields) { $0.badge }
        .group("signsFrom", TimeView.fields) { TimeView($0.key.activeFrom) }
        .optionalGroup("signsUntil", TimeView.fields) { $0.key.retiresAt.map(TimeView.init) }
        .optionalGroup("leaves", TimeView.fields) { $0.key.leavesAt.map(TimeView.init) }

    private var badge: BadgeView {
        switch state {
        case .next: BadgeView(.plain, Phrase("console.signing-keys.state.next"))
        case .signing: BadgeView(.good, Phrase("console.signing-keys.state.signing"))
        case .published: BadgeView(.plain, Phrase("console.signing-keys.state.published"))
        case .over: BadgeView(.plain, Phrase("console.signing-keys.state.over"))
        }
    }
}
