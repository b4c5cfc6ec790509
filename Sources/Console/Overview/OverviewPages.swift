import Accounts
import Core
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// The overview page of a team.
struct OverviewPages: ConsolePages {
    private static let eventLimit = 5
    private static let failureLimit = 5

    let parts: Console.Parts

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.overview, needs: .read, at: .overview) { try await show($0) }
    }

    private func show(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let progress = try await TeamProgressStore(database).find(team)
        let entries = try await auditLog.list(in: team, limit: Self.eventLimit)
        let now = server.clock()
        let found = try await TeamAttentionStore(database).find(team, at: now)
        return site.respond(
            OverviewPage(
                frame: context.frame(Message("console.overview.title")), checklist: Checklist(progress, in: team),
                counts: Self.counts(progress, team),
                activity: try await Activity(
                    try await DailyCountStore(database).report(of: team, days: Activity.days, at: now), in: team,
                    TraceListStore(database), at: now), failures: try await failures(in: team, at: now),
                attention: found.map { $0.row(in: team) }, endpoints: endpoints(of: team),
                events: entries.map { $0.row(in: team) }))
    }

    private func failures(in team: TeamID, at now: Timestamp) async throws -> [ListRow] {
        guard let snapshot = try await parts.teams.snapshot(of: team, evenClosed: true) else { return [] }
        var filter = TraceFilter()
        filter.outcome = .failed
        let page = try await TraceListStore(database).page(
            in: team, matching: filter, limit: Self.failureLimit, at: now)
        return page.items.map { trace in
            let app =
                trace.clientID.flatMap(snapshot.client)?.name ?? Message("console.traces.unknown-app")
                as any LocalizedTextConvertible
            return ListRow(
                trace.cause.map { Message(in: "console.causes", $0.rawValue) } ?? app,
                at: ConsoleRoutes.trace.link(team, trace.id), notes: [.text(app)], end: [.text(trace.id.startedAt)],
                hasArrow: false)
        }
    }

    private static func counts(_ progress: TeamProgress, _ team: TeamID) -> [OverviewPage.Count] {
        let limit = TeamProgressStore.userLimit
        let users =
            progress.users > limit
            ? Message("console.overview.more-than", ["number": limit]).localizedText : .number(progress.users)
        return [
            .init(
                label: Message("console.overview.app-ids"), value: .number(progress.appIDs),
                url: ConsoleRoutes.appIDs.link(team)),
            .init(
                label: Message("console.overview.service-ids"), value: .number(progress.serviceIDs),
                url: ConsoleRoutes.serviceIDs.link(team)),
            .init(
                label: Message("console.overview.keys"), value: .number(progress.keys),
                url: ConsoleRoutes.keys.link(team)),
            .init(label: Message("console.overview.users"), value: users, url: ConsoleRoutes.users.link(team)),
        ]
    }

    private func endpoints(of team: TeamID) -> [CopyView] {
        let host = server.publicURL
        return [
            CopyView(Message("console.overview.issuer"), server.base(of: team)),
            CopyView(Message("console.overview.authorize"), host + TeamRoutes.authorize.link(team)),
            CopyView(Message("console.overview.token"), host + TeamRoutes.token.link(team)),
            CopyView(Message("console.overview.revoke"), host + TeamRoutes.revoke.link(team)),
            CopyView(Message("console.overview.public-keys"), host + TeamRoutes.keys.link(team)),
            CopyView(Message("console.overview.discovery"), host + TeamRoutes.discovery.link(team)),
        ]
    }

    static var views: [any View.Type] { [OverviewPage.self] }
}

/// The overview of a team.
struct OverviewPage: FramedPage {
    static let template = "console/overview"
    static let fields = frameFields.with {
        $0.optionalGroup("setup", Checklist.fields) { $0.checklist.isComplete ? nil : $0.checklist }
        $0.list("counts", Count.fields) { $0.counts }
        $0.group("activity", Activity.fields) { $0.activity }
        $0.rows("failures") { $0.failures }
        $0.rows("attention") { $0.attention }
        $0.list("endpoints", CopyView.fields) { $0.endpoints }
        $0.rows("events") { $0.events }
    }

    /// Number of items of one kind, with the URL of their list.
    struct Count: Sendable {
        let label: Message
        let value: LocalizedText
        let url: String

        static let fields = Fields<Count> {
            $0.words("label") { $0.label }
            $0.words("value") { $0.value }
            $0.text("url") { $0.url }
        }
    }

    let frame: ConsoleFrame
    let checklist: Checklist
    let counts: [Count]
    let activity: Activity
    let failures: [ListRow]
    let attention: [ListRow]
    let endpoints: [CopyView]
    let events: [ListRow]
}

extension TeamAttention {
    /// An unused, outdated or incomplete item, with its page.
    fileprivate func row(in team: TeamID) -> ListRow {
        let url =
            switch kind {
            case .keyNeverUsed, .keyUnused, .keyOld:
                KeyID(rawValue: subject).map { ConsoleRoutes.key.link(team, $0) } ?? ConsoleRoutes.keys.link(team)
            case .noReturnURL, .noSignIn, .secretEnds, .secretEnded:
                ClientID(rawValue: subject).map { ConsoleRoutes.serviceID.link(team, $0) }
                    ?? ConsoleRoutes.serviceIDs.link(team)
            case .mailWaits: CheckupPages.checkup.link(team)
            case .appleRefuses: AppleTokenRoutes.tokens.link(team)
            case .domainUnverified: ConsoleRoutes.serviceIDs.link(team)
            }
        return ListRow(
            subject, at: url, notes: [.text(Message(in: "console.attention", kind.rawValue))],
            end: [since.map { .text(Message("console.activity.since"), $0) }], hasArrow: false)
    }
}
