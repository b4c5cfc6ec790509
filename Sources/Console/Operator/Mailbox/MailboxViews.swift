import Bytes
import Domain
import HTTP
import Mail
import Templates
import Web

/// The mails, newest first.
struct MailboxListPage: OperatorPage {
    static let template = "console/operator/mailbox/index"
    static let fields =
        frameFields
        .text("action") { _ in OperatorRoutes.mailbox.link() }
        .optionalText("query") { $0.query }
        .flag("sendsMail") { $0.sendsMail }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    struct Row: Sendable {
        let entry: MailboxEntry
        let teamName: String

        static let fields = Fields<Row>()
            .text("url") { OperatorRoutes.mail.link($0.entry.id) }
            .text("subject") { $0.entry.subject }
            .text("recipient") { $0.entry.recipient.rawValue }
            .text("team") { $0.teamName }
            .group("time", TimeView.fields) { TimeView($0.entry.at) }
    }

    let frame: OperatorFrame
    let query: String?
    let sendsMail: Bool
    let rows: [Row]
    let paging: PagingView
}

/// One mail, as its reader would see it.
struct MailboxMailPage: OperatorPage {
    static let template = "console/operator/mailbox/show"
    static let fields =
        frameFields
        .text("listURL") { _ in OperatorRoutes.mailbox.link() }
        .text("subject") { $0.mail.entry.subject }
        .group("recipient", CopyView.fields) { page in
            CopyView(Phrase("console.operator.mailbox.to"), page.mail.entry.recipient.rawValue)
        }
        .text("team") { $0.teamName }
        .words("letter") { Phrase(in: "console.operator.letters", $0.mail.entry.letter) }
        .group("time", TimeView.fields) { TimeView($0.mail.entry.at) }
        .optionalText("link") { $0.mail.link }
        .text("body") { $0.mail.text }
        .text("html") { $0.mail.html }

    let frame: OperatorFrame
    let mail: MailboxMail
    let teamName: String
}
