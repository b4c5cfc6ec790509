import Accounts
import Core
import Directory
import OAuth
import Platform
import Templates

/// Page with one message and an optional link.
struct MessagePage: FramedPage {
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
