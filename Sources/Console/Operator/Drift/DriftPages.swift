import Bytes
import Doctor
import HTTP
import Templates
import Web

/// What Apple publishes of itself, beside what is known of it.
struct DriftPages: Sendable {
    private let site: Site
    private let documents: WatchedDocumentStore
    private let isWatched: Bool
    private let standIn: String?
    private let page: LivePage<DriftPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        documents = WatchedDocumentStore(parts.database)
        isWatched = parts.watchesApple
        standIn = parts.standIn?.pageURL
        page = try parts.site.pages.page(DriftPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.drift, for: .operators) { visit in
            let model = DriftPage(
                frame: OperatorFrame(visit, Phrase("console.operator.drift.title"), at: .drift),
                isWatched: isWatched,
                standIn: standIn,
                documents: isWatched ? try await documents.list() : []
            )
            return site.respond(page, model)
        }
        router.post(OperatorRoutes.driftApproval, for: .operators) { visit, form, name in
            let isApproved = try await documents.approve(
                name,
                seen: form["seen"] ?? "",
                by: visit.actor,
                from: visit.origin
            )
            let flash: Flash =
                isApproved
                ? .good(Phrase("console.operator.drift.flash.approved"))
                : .warn(Phrase("console.operator.drift.flash.changed"))
            return visit.redirect(to: OperatorRoutes.drift.link(), saying: flash)
        }
    }

    static var views: [any View.Type] { [DriftPage.self] }
}

/// The documents with their differences.
struct DriftPage: OperatorPage {
    static let template = "console/operator/drift"
    static let fields =
        frameFields
        .flag("watched") { $0.isWatched }
        .optionalText("standInURL") { $0.standIn }
        .list("documents", DocumentView.fields) { $0.documents.map(DocumentView.init) }

    let frame: OperatorFrame
    let isWatched: Bool
    /// The page of what is in Apple's place, where something is.
    let standIn: String?
    let documents: [WatchedDocument]
}

/// One document.
struct DocumentView: Sendable {
    private let document: WatchedDocument

    init(_ document: WatchedDocument) {
        self.document = document
    }

    static let fields = Fields<DocumentView>()
        .text("id") { $0.document.name.rawValue }
        .words("heading") { $0.heading }
        .words("about") { $0.about }
        .group("seen", TimeView.fields) { TimeView($0.document.seenAt) }
        .group("state", BadgeView.fields) { $0.badge }
        .optionalGroup("since", TimeView.fields) { $0.document.differsSince.map(TimeView.init) }
        .list(
            "differences",
            Fields<WatchedDocument.Difference>()
                .text("name") { $0.name }
                .optionalText("known") { $0.known }
                .optionalText("now") { $0.seen }
        ) { $0.document.differences }
        .list("entries", Fields<Entry>().text("name") { $0.name }.text("value") { $0.value }) { view in
            view.document.seen.sorted { $0.key < $1.key }.map { Entry(name: $0.key, value: $0.value) }
        }
        .text("digest") { $0.document.seenDigest }
        .text("approvalURL") { OperatorRoutes.driftApproval.link($0.document.name) }

    /// A member of the document as it was seen.
    struct Entry: Sendable {
        let name: String
        let value: String
    }

    private var heading: Phrase {
        switch document.name {
        case .discovery: Phrase("console.operator.drift.discovery")
        case .keys: Phrase("console.operator.drift.keys")
        }
    }

    private var about: Phrase {
        switch document.name {
        case .discovery: Phrase("console.operator.drift.discovery.about")
        case .keys: Phrase("console.operator.drift.keys.about")
        }
    }

    private var badge: BadgeView {
        document.differsSince == nil
            ? BadgeView(.good, Phrase("console.operator.drift.known"))
            : BadgeView(.bad, Phrase("console.operator.drift.differs"))
    }
}
