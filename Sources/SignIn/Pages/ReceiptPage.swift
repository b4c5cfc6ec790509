import AuthEngine
import Bytes
import Directory
import Domain
import Templates
import Web

/// What became of a deleted account, for people: the same that an app reads as JSON.
struct ReceiptPage: HostedPage {
    static let template = "hosted/receipt"
    static let fields =
        frameFields
        .flag("settled") { $0.receipt.isSettled }
        .group("created", TimeView.fields) { TimeView($0.receipt.createdAt) }
        .list("tokens", TokenRow.fields) { page in
            page.receipt.tokens.map { TokenRow(name: page.name(of: $0), token: $0) }
        }
        .list("notices", NoticeRow.fields) { page in
            page.receipt.notices.map { NoticeRow(name: page.name(of: $0.appID), notice: $0) }
        }
        .group("id", CopyView.fields) { CopyView(Phrase("hosted.receipt.id"), $0.receipt.id.rawValue) }

    let frame: HostedFrame
    let team: TeamSnapshot
    let receipt: DeletionReceipt

    /// Whose it is: a provider's, or that of an app.
    private func name(of token: DeletionReceipt.Token) -> String {
        switch token.provider {
        case .apple?: "Apple"
        case nil: name(of: token.clientID)
        }
    }

    /// What people call the app; one that is gone has its identifier left.
    private func name(of id: ClientID) -> String {
        team.client(id)?.name ?? id.rawValue
    }

    /// A token of the account.
    private struct TokenRow: Sendable {
        let name: String
        let token: DeletionReceipt.Token

        static let fields = Fields<TokenRow>()
            .text("name") { $0.name }
            .group("issued", TimeView.fields) { TimeView($0.token.issuedAt) }
            .group("fate", BadgeView.fields) { $0.fate }
            .optionalGroup("settled", TimeView.fields) { $0.token.settledAt.map(TimeView.init) }
            .flag("refused") { $0.token.fate == .refused }

        private var fate: BadgeView {
            switch token.fate {
            case .pending: BadgeView(.plain, Phrase("hosted.receipt.fate.pending"))
            case .revoked: BadgeView(.good, Phrase("hosted.receipt.fate.revoked"))
            case .refused: BadgeView(.warn, Phrase("hosted.receipt.fate.refused"))
            case .superseded: BadgeView(.good, Phrase("hosted.receipt.fate.superseded"))
            }
        }
    }

    /// What an app was told.
    private struct NoticeRow: Sendable {
        let name: String
        let notice: DeletionReceipt.Notice

        static let fields = Fields<NoticeRow>()
            .text("name") { $0.name }
            .group("state", BadgeView.fields) { $0.state }
            .optionalGroup("settled", TimeView.fields) { $0.notice.settledAt.map(TimeView.init) }

        private var state: BadgeView {
            switch notice.state {
            case .pending: BadgeView(.plain, Phrase("hosted.receipt.notice.pending"))
            case .delivered: BadgeView(.good, Phrase("hosted.receipt.notice.delivered"))
            case .dead: BadgeView(.warn, Phrase("hosted.receipt.notice.dead"))
            }
        }
    }
}
