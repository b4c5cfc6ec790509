import Templates
import Web

/// The way out by form_post: a form that submits itself, with a button where there is no script.
struct ExitPostPage: HostedPage {
    static let template = "hosted/exit-post"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .url("target") { $0.target }
        .list("hidden", Hidden.fields) { $0.hidden }

    /// One field of the answer.
    struct Hidden: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Hidden>()
            .text("name") { $0.name }
            .text("value") { $0.value }
    }

    let frame: HostedFrame
    let appName: String
    let target: SafeURL
    let hidden: [Hidden]
}

/// The way out by query or fragment, or to Apple after a form: a refresh, with a link beside it.
struct ExitRedirectPage: HostedPage {
    static let template = "hosted/exit-redirect"
    static let fields =
        frameFields
        .words("headline") { $0.frame.title }
        .text("appName") { $0.appName }
        .url("target") { $0.target }

    let frame: HostedFrame
    let appName: String
    let target: SafeURL
}

/// The way out by web_message: a script tells the window that opened this one, and closes it.
struct ExitMessagePage: HostedPage {
    static let template = "hosted/exit-message"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .text("message") { $0.message }
        .text("origin") { $0.origin }

    let frame: HostedFrame
    let appName: String
    /// A JSON text.
    let message: String
    /// Who may read it.
    let origin: String
}
