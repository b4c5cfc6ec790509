import Core
import HTTP
import SignIn
import Templates

/// Page before a change that takes effect at once: what will happen, in numbers, and the reason for the audit log.
struct ActionPage: FramedPage {
    static let template = "console/action"
    static let fields = frameFields.with {
        $0.group("back", LinkView.fields) { $0.back }
        $0.words("heading") { $0.action.heading }
        $0.list("effects", Fields<Message> { $0.words("text") { $0 } }) { $0.action.effects }
        $0.text("action") { $0.url }
        $0.errors { $0.errors.links }
        $0.group("reason", Input.fields) { page in
            Input(
                "reason", Message("console.confirm.reason"), page.reason.typed,
                hint: Message("console.confirm.reason.hint"), errors: page.errors)
        }
        $0.words("button") { $0.action.button }
    }

    /// A change, with what it does in sentences.
    struct Action: Sendable {
        let heading: Message
        let effects: [Message]
        let button: Message
        /// Makes the change for a reason, and says what happened.
        let perform: @Sendable (_ reason: String) async throws -> Flash
    }

    let frame: ConsoleFrame
    /// The page that the action belongs to.
    private let back: LinkView
    private let action: Action
    private let url: String
    private let reason: Reason
    private let errors: FieldErrors

    private init(
        _ context: TeamContext, _ action: Action, backTo back: LinkView, _ reason: Reason, _ errors: FieldErrors
    ) {
        frame = context.frame(action.heading)
        (self.back, self.action, self.reason, self.errors) = (back, action, reason, errors)
        url = context.request.path
    }

    /// The page; with a form, the change and the way back if the form has a reason.
    static func respond(_ context: TeamContext, _ action: Action, _ form: Form? = nil, backTo back: LinkView)
        async throws -> Response
    {
        let reason = Reason(form?["reason"])
        var errors = FieldErrors()
        if form != nil {
            guard let problem = reason.problem else {
                return context.redirect(to: back.url, saying: try await action.perform(reason.text))
            }
            errors.add("reason", problem)
        }
        return context.site.respond(ActionPage(context, action, backTo: back, reason, errors), status: errors.status)
    }
}
