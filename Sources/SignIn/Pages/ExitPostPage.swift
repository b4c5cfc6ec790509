import Templates

/// Delivers an answer by `form_post`: a form that submits itself, with a button for browsers without scripts.
struct ExitPostPage: FramedPage {
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
struct ExitRedirectPage: FramedPage {
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
struct ExitMessagePage: FramedPage {
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
