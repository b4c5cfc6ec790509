import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// Pages of the inspector: list of a team's sign-in traces, and each trace step by step.
struct TracePages: ConsolePages {
    let parts: Console.Parts

    private var traces: TraceListStore { TraceListStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.traces, needs: .read, at: .traces) { try await list($0) }
        router.get(ConsoleRoutes.trace, needs: .read, at: .traces) { try await show($0, $1) }
    }

    private static func filters(of team: TeamSnapshot) -> [ListFilter] {
        let any = Message("console.traces.filter.any")
        var app = ListFilter.choice(
            "app", Message("console.traces.filter.app"), any: any, team.clientIDs.map { ($0.rawValue, $0.rawValue) })
        // Traces outlive their apps.
        app.accepts = { ClientID(rawValue: $0) != nil }
        return [
            app,
            .choice(
                "outcome", Message("console.traces.filter.outcome"), any: any,
                TraceOutcome.allCases.map { ($0.rawValue, Message(in: "console.traces.outcome", $0.rawValue)) }),
            .choice(
                "cause", Message("console.traces.filter.cause"), any: any,
                RefusalCause.allCases.map { ($0.rawValue, Message(in: "console.causes", $0.rawValue)) }),
            // No filter selects test sign-ins only: they are too rare to scan a list of millions for them.
            .choice(
                "test", Message("console.traces.filter.test"), any: any,
                [("no", Message("console.traces.filter.test.no"))]),
            .text("person", Message("console.traces.filter.person")) { Subject(rawValue: $0) != nil },
            .text("from", Message("console.traces.filter.from"), type: "date"),
            .text("to", Message("console.traces.filter.to"), type: "date"),
        ]
    }

    private static func filter(_ query: ListQuery) -> TraceFilter {
        var filter = TraceFilter()
        filter.client = query["app"].flatMap(ClientID.init(rawValue:))
        filter.outcome = query["outcome"].flatMap(TraceOutcome.init(rawValue:))
        filter.cause = query["cause"].flatMap(RefusalCause.init(rawValue:))
        filter.subject = query["person"].flatMap(Subject.init(rawValue:))
        (filter.from, filter.until) = query.days
        filter.leavesOutTests = query["test"] != nil
        return filter
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let team = try await snapshot(context)
        let query = try ListQuery(context.request, at: ConsoleRoutes.traces.link(team.id), Self.filters(of: team))
        let now = server.clock()
        // The reference shown on an error page, or the id of a sign-in trace.
        let reference = ListFilter.read(try context.request.parameters()["reference"] ?? "").typedCode.lowercased()
        if !reference.isEmpty, reference.utf8.count <= 64,
            let id = try await traces.find(reference, in: team.id, at: now)
        {
            return .redirect(to: ConsoleRoutes.trace.link(team.id, id))
        }
        let page = try await traces.page(
            in: team.id, matching: Self.filter(query), after: query.after, limit: ListQuery.pageSize, at: now)
        let names = try await names(of: page.items.compactMap(\.subject), context)
        let list = ListView(
            title: Message("console.traces.title"), about: Message("console.traces.about"), query: query,
            content: .rows(page.items.map { Self.row($0, team, names, at: now) }),
            paging: query.paging(
                page.summary(
                    { Message("console.traces.found", count: $0) },
                    more: { Message("console.traces.found-more", count: $0) }), next: page.next),
            none: .init(
                "flow", Message("console.traces.none"), Message("console.traces.none.advice"),
                LinkView(Message("console.traces.none.action"), ConsoleRoutes.serviceIDs.link(team.id), isPrimary: true)
            ),
            unmatched: .unmatched(
                Message("console.traces.none-match"), Message("console.traces.none-match.advice"),
                all: Message("console.traces.none-match.action"), query))
        let view = TraceListPage(
            frame: context.frame(list.title), list: list, missing: reference.isEmpty ? nil : reference)
        return site.respond(view, status: query.errors.status)
    }

    private static func row(_ trace: SignInTrace, _ team: TeamSnapshot, _ names: [Subject: String], at now: Timestamp)
        -> ListRow
    {
        let app = trace.clientID.flatMap(team.client)?.name
        let person = trace.subject.map { names[$0] ?? $0.rawValue }
        let note: RowPart? =
            if let cause = trace.cause { .text(Message(in: "console.causes", cause.rawValue)) } else if let person {
                .text(person)
            } else { trace.clientID.map { .code($0.rawValue) } }
        let test: RowPart? = trace.isTest ? .badge(.plain, Message("console.traces.test")) : nil
        return ListRow(
            app ?? Message("console.traces.unknown-app") as any LocalizedTextConvertible,
            at: ConsoleRoutes.trace.link(team.id, trace.id), for: .verbatim(trace.id.startedAt.precise), notes: [note],
            end: [test] + TraceStatus.parts(of: trace, at: now), hasArrow: false)
    }

    private func show(_ context: TeamContext, _ id: TraceID) async throws -> Response {
        let (trace, steps) = try await TraceDetailStore(database).find(id, in: context.teamID).orNotFound()
        let names = try await names(of: trace.subject.map { [$0] } ?? [], context)
        let team = try await snapshot(context)
        let narrative = TraceNarrative(trace, steps, of: team, at: server.clock(), simulator: parts.simulator?.pageURL)
        return site.respond(
            TraceDetailPage(
                frame: context.frame(Message("console.traces.one")), narrative: narrative,
                person: trace.subject.map { names[$0] ?? $0.rawValue }))
    }

    private func snapshot(_ context: TeamContext) async throws -> TeamSnapshot {
        try await parts.teams.snapshot(of: context.teamID, evenClosed: true).orNotFound()
    }

    private func names(of subjects: [Subject], _ context: TeamContext) async throws -> [Subject: String] {
        let distinct = Array(Set(subjects))
        guard !distinct.isEmpty else { return [:] }
        let users = try await users.find(distinct, in: context.teamID)
        return Dictionary(uniqueKeysWithValues: users.map { ($0.subject, $0.shownName) })
    }

    static var views: [any View.Type] { [TraceListPage.self, TraceDetailPage.self] }
}

/// List of a team's sign-in traces, including requests that did not lead to a sign-in.
struct TraceListPage: FramedPage {
    static let template = "console/traces/index"
    static let fields = frameFields.with {
        $0.optionalText("reference") { $0.missing }
        $0.group("list", ListView.fields) { $0.list }
    }

    let frame: ConsoleFrame
    let list: ListView
    /// The reference searched for, if no trace has it.
    let missing: String?
}

/// Status of a sign-in trace, in the words by which the list is filtered.
enum TraceStatus {
    /// Lifetime of an authorization code.
    private static let codeLife = Duration.seconds(300)

    /// The badges of a trace: several for one that went on after a failure.
    static func badges(of trace: SignInTrace, at now: Timestamp) -> [BadgeView] {
        let age = now - trace.id.startedAt
        let isLate = age > Interaction.lifetime + codeLife
        return switch trace.outcome {
        case .failed where trace.isRedeemed: [badge(.warn, .failed), badge(.good, .signedIn)]
        case .failed: [badge(.bad, .failed)]
        case .cancelled: [badge(.plain, .cancelled)]
        case .answered where trace.isRedeemed: [badge(.good, .signedIn)]
        case .answered: [badge(isLate ? .warn : .plain, .answered)]
        case .open: [badge(.plain, age > Interaction.lifetime ? .left : .open)]
        }
    }

    /// The end of a row: the badges, and when it began.
    static func parts(of trace: SignInTrace, at now: Timestamp) -> [RowPart?] {
        badges(of: trace, at: now).map { .badge($0) } + [.text(trace.id.startedAt)]
    }

    enum State: String, CaseIterable {
        case open
        case left
        case cancelled
        case failed
        case answered
        case signedIn = "signed-in"
    }

    private static func badge(_ kind: BadgeView.Kind, _ state: State) -> BadgeView {
        BadgeView(kind, Message(in: "console.traces.badge", state.rawValue))
    }
}
