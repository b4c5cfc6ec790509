import Core
import SignIn
import Templates

/// Page with the form for a new object of the registry.
struct NewPage: FramedPage {
    static let template = "console/new"
    static let fields = frameFields.with {
        $0.group("back", LinkView.fields) { $0.back }
        $0.words("heading") { $0.heading }
        $0.optionalWords("about") { $0.about }
        $0.optionalGroup("simulator", SimulatorSetup.fields) { $0.simulator }
        $0.optionalGroup("form", FormView.fields) { $0.form }
        $0.words("button") { $0.button }
    }

    let frame: ConsoleFrame
    /// The list to which the object is added.
    let back: LinkView
    let heading: Message
    let about: Message?
    /// Nil while the team has no App ID that the object could belong to.
    let form: FormView?
    let button: Message
    /// Instructions for the Apple simulator, if it replaces Apple and the object is one of Apple's.
    let simulator: SimulatorSetup?

    init(
        _ context: TeamContext, _ heading: Message, about: Message? = nil, backTo back: LinkView, _ form: FormView?,
        button: Message, simulator: SimulatorSetup? = nil
    ) {
        frame = context.frame(heading)
        (self.back, self.heading, self.about) = (back, heading, about)
        (self.form, self.button, self.simulator) = (form, button, simulator)
    }
}
