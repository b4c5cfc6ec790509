import Bytes
import Domain
import HTTP
import Localization
import Mail
import Templates
import Web

/// List of stored emails, newest first.
struct MailboxListPage: OperatorPage {
    static let template = "console/operator/mailbox/index"
    static let fields = frameFields.with {
        $0.text("action") { _ in OperatorRoutes.mailbox.link() }
        $0.optionalText("query") { $0.query }
        $0.flag("sendsMail") { $0.sendsMail }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    struct Row: Sendable {
        let entry: MailboxEntry
        let teamName: String

        static let fields = Fields<Row> {
            $0.text("url") { OperatorRoutes.mail.link($0.entry.id) }
            $0.text("subject") { $0.entry.subject }
            $0.text("recipient") { $0.entry.recipient.rawValue }
            $0.text("team") { $0.teamName }
            $0.group("time", TimeView.fields) { TimeView($0.entry.at) }
        }
    }

    let frame: OperatorFrame
    let query: String?
    let sendsMail: Bool
    let rows: [Row]
    let paging: PagingView
}

/// A stored email as its recipient would see it.
struct MailboxMailPage: OperatorPage {
    static let template = "console/operator/mailbox/show"
    static let fields = frameFields.with {
        $0.text("listURL") { _ in OperatorRoutes.mailbox.link() }
        $0.text("subject") { $0.mail.entry.subject }
        $0.group("recipient", CopyView.fields) { page in
            CopyView(Message("console.operator.mailbox.to"), page.mail.entry.recipient.rawValue)
        }
        $0.text("team") { $0.teamName }
        $0.words("letter") { Message(in: "console.operator.letters", $0.mail.entry.message) }
        $0.group("time", TimeView.fields) { TimeView($0.mail.entry.at) }
        $0.optionalText("link") { $0.mail.link }
        $0.text("body") { $0.mail.text }
        $0.text("html") { $0.mail.html }
    }

    let frame: OperatorFrame
    let mail: MailboxMail
    let teamName: String
}
