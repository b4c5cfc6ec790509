import Accounts
import Core
import HTTP
import SignIn
import Templates

/// Page that compares the documents Apple publishes with their known versions.
struct DriftPages: ConsolePages {
    let parts: Console.Parts

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.drift, for: .operators) { context in
            let model = DriftPage(
                frame: OperatorFrame(context, Message("console.operator.drift.title"), at: .drift),
                isWatched: parts.watchesApple, simulator: parts.simulator?.pageURL,
                documents: parts.watchesApple ? try await documents.list() : [])
            return site.respond(model)
        }
        router.post(OperatorRoutes.driftApproval, for: .operators) { context, form, name in
            let isApproved = try await documents.approve(
                name, seen: form["seen"] ?? "", by: context.actor, from: context.origin)
            let flash: Flash =
                isApproved
                ? .good(Message("console.operator.drift.flash.approved"))
                : .warn(Message("console.operator.drift.flash.changed"))
            return context.redirect(to: OperatorRoutes.drift.link(), saying: flash)
        }
    }

    static var views: [any View.Type] { [DriftPage.self] }
}

/// Watched documents with their differences.
struct DriftPage: FramedPage {
    static let template = "console/operator/drift"
    static let fields = frameFields.with {
        $0.flag("watched") { $0.isWatched }
        $0.optionalText("simulatorURL") { $0.simulator }
        $0.list("documents", WatchedDocument.fields) { $0.documents }
    }

    let frame: OperatorFrame
    let isWatched: Bool
    /// URL of the Apple simulator's page; nil without a simulator.
    let simulator: String?
    let documents: [WatchedDocument]
}

extension WatchedDocument {
    fileprivate static let fields = Fields<WatchedDocument> {
        $0.text("id") { $0.name.rawValue }
        $0.words("heading") { Message(in: "console.operator.drift.document", $0.name.rawValue) }
        $0.words("about") { Message(in: "console.operator.drift.document", $0.name.rawValue + ".about") }
        $0.group("seen", TimeView.fields) { TimeView($0.seenAt) }
        $0.group("state", BadgeView.fields) { $0.badge }
        $0.optionalGroup("since", TimeView.fields) { $0.differsSince.map(TimeView.init) }
        $0.list(
            "differences",
            Fields<WatchedDocument.Difference> {
                $0.text("name") { $0.name }
                $0.optionalText("known") { $0.known }
                $0.optionalText("now") { $0.seen }
            }
        ) { $0.differences }
        $0.list(
            "entries",
            Fields<(key: String, value: String)> {
                $0.text("name") { $0.key }
                $0.text("value") { $0.value }
            }
        ) { document in document.seen.sorted { $0.key < $1.key } }
        $0.text("digest") { $0.seenDigest }
        $0.text("approvalURL") { OperatorRoutes.driftApproval.link($0.name) }
    }

    private var badge: BadgeView {
        differsSince == nil
            ? BadgeView(.good, Message("console.operator.drift.known"))
            : BadgeView(.bad, Message("console.operator.drift.differs"))
    }
}
