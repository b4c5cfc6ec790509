import Accounts
import Core
import Directory
import OAuth
import Platform
import Templates

/// Result of an account deletion, for browsers; apps read the same data as JSON.
struct ReceiptPage: HostedPage {
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
            switch token.fate {
            case .pending: BadgeView(.plain, Message("hosted.receipt.fate.pending"))
            case .revoked: BadgeView(.good, Message("hosted.receipt.fate.revoked"))
            case .refused: BadgeView(.warn, Message("hosted.receipt.fate.refused"))
            case .superseded: BadgeView(.good, Message("hosted.receipt.fate.superseded"))
            }
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
            switch notification.state {
            case .pending: BadgeView(.plain, Message("hosted.receipt.notification.pending"))
            case .delivered: BadgeView(.good, Message("hosted.receipt.notification.delivered"))
            case .dead: BadgeView(.warn, Message("hosted.receipt.notification.dead"))
            }
        }
    }
}

/// Delivers an answer by `form_post`: a form that submits itself, with a button for browsers without scripts.
struct ExitPostPage: HostedPage {
    static let template = "hosted/exit-post"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.url("target") { $0.target }
        $0.list("hidden", Hidden.fields) { $0.hidden }
    }

    /// Field of the answer.
    struct Hidden: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Hidden> {
            $0.text("name") { $0.name }
            $0.text("value") { $0.value }
        }
    }

    let frame: HostedFrame
    let appName: String
    let target: SafeURL
    let hidden: [Hidden]
}

/// Delivers an answer by query or fragment, or leads to Apple after a form: a refresh, with a link beside it.
struct ExitRedirectPage: HostedPage {
    static let template = "hosted/exit-redirect"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.url("target") { $0.target }
    }

    let frame: HostedFrame
    let appName: String
    let target: SafeURL
}

/// Delivers an answer by `web_message`: a script posts it to the window that opened this one, and closes this one.
struct ExitMessagePage: HostedPage {
    static let template = "hosted/exit-message"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.text("message") { $0.message }
        $0.text("origin") { $0.origin }
    }

    let frame: HostedFrame
    let appName: String
    /// Message as JSON.
    let message: String
    /// Origin that may read the message.
    let origin: String
}

/// Page for an error that the user did not cause; the app receives no response.
struct HostedErrorPage: HostedPage {
    static let template = "hosted/error"
    static let fields = frameFields.with {
        $0.words("headline") { $0.headline }
        $0.words("message") { $0.message }
        $0.words("advice") { $0.advice }
        $0.group("reference", CopyView.fields) { CopyView(Message("hosted.problems.reference"), $0.reference) }
        $0.optionalText("retryURL") { $0.retryURL }
    }

    let frame: HostedFrame
    let headline: LocalizedText
    let message: LocalizedText
    let advice: LocalizedText
    /// Request ID, by which the log contains details.
    let reference: String
    /// Address that continues; nil if there is none.
    let retryURL: String?
}

/// Page with one message and an optional link.
struct MessagePage: HostedPage {
    static let template = "hosted/message"
    static let fields = frameFields.with {
        $0.words("message") { $0.message }
        $0.optionalWords("note") { $0.note }
        $0.optionalText("nextURL") { $0.next?.url }
        $0.optionalWords("nextLabel") { $0.next?.label }
    }

    let frame: HostedFrame
    let message: Message
    var note: Message?
    var next: (url: String, label: Message)?
}

extension MessagePage {
    /// Page after a mail was requested, whether or not one was sent.
    ///
    /// - Parameter isKept: whether the user may know that the mail went no further than the operators' mailbox.
    static func mailSent(to email: String, isKept: Bool, _ frame: HostedFrame, next: (url: String, label: Message))
        -> MessagePage
    {
        MessagePage(
            frame: frame, message: Message("hosted.mail.sent", ["email": email]),
            note: isKept ? Message("hosted.mail.kept") : nil, next: next)
    }
}

/// Confirmation that the account is deleted.
struct AccountDeletedPage: HostedPage {
    static let template = "hosted/account-deleted"
    static let fields = frameFields

    let frame: HostedFrame
}

/// Page after a session has ended.
struct SignedOutPage: HostedPage {
    static let template = "hosted/signed-out"
    static let fields = frameFields.with { $0.optionalText("signInURL") { $0.signInURL } }

    let frame: HostedFrame
    let signInURL: String?
}
