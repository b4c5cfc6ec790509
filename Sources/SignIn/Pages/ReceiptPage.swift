import Accounts
import Core
import OAuth
import Platform
import Templates

/// Result of an account deletion, for browsers; apps read the same data as JSON.
struct ReceiptPage: FramedPage {
    static let template = "hosted/receipt"
    static let fields = frameFields.with {
        $0.flag("settled") { $0.receipt.isSettled }
        $0.group("created", TimeView.fields) { TimeView($0.receipt.createdAt) }
        $0.list("tokens", TokenRow.fields) { page in
            page.receipt.tokens.map { TokenRow(name: page.name(of: $0), token: $0) }
        }
        $0.list("notifications", NotificationRow.fields) { page in
            page.receipt.notifications.map { NotificationRow(name: page.name(of: $0.appID), notification: $0) }
        }
        $0.group("id", CopyView.fields) { CopyView(Message("hosted.receipt.id"), $0.receipt.id.rawValue) }
    }

    let frame: HostedFrame
    let team: TeamSnapshot
    let receipt: DeletionReceipt

    /// Name of the provider or app that the token belongs to.
    private func name(of token: DeletionReceipt.Token) -> String {
        guard let provider = token.provider else {
            return ClientID(rawValue: token.clientID).map(name) ?? token.clientID
        }
        return provider == .apple ? "Apple" : provider.rawValue
    }

    /// Name of the app; its client ID if the app is deleted.
    private func name(of id: ClientID) -> String { team.client(id)?.name ?? id.rawValue }

    /// Token of the account.
    private struct TokenRow: Sendable {
        let name: String
        let token: DeletionReceipt.Token

        static let fields = Fields<TokenRow> {
            $0.text("name") { $0.name }
            $0.group("issued", TimeView.fields) { TimeView($0.token.issuedAt) }
            $0.group("fate", BadgeView.fields) { $0.fate }
            $0.optionalGroup("settled", TimeView.fields) { $0.token.settledAt.map(TimeView.init) }
            $0.flag("refused") { $0.token.fate == .refused }
        }

        private var fate: BadgeView {
            BadgeView(token.fate, in: "hosted.receipt.fate", good: [.revoked, .superseded], warn: [.refused])
        }
    }

    /// Notification to an app.
    private struct NotificationRow: Sendable {
        let name: String
        let notification: DeletionReceipt.Notification

        static let fields = Fields<NotificationRow> {
            $0.text("name") { $0.name }
            $0.group("state", BadgeView.fields) { $0.state }
            $0.optionalGroup("settled", TimeView.fields) { $0.notification.settledAt.map(TimeView.init) }
        }

        private var state: BadgeView {
            BadgeView(notification.state, in: "hosted.receipt.notification", good: [.delivered], warn: [.dead])
        }
    }
}
