import Core
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Pages of the notifications sent to apps: delivery log, details, replay and test.
struct NotificationPages: ConsolePages {
    let parts: Console.Parts

    private var list: NotificationListStore { NotificationListStore(database) }
    private var replays: NotificationReplayStore { NotificationReplayStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(NotificationRoutes.notifications, needs: .read, at: .notifications) { try await index($0) }
        router.post(NotificationRoutes.notifications, needs: .changeRegistry, at: .notifications) {
            try await test($0, $1)
        }
        router.get(NotificationRoutes.notification, needs: .read, at: .notifications) { try await show($0, $1) }
        router.post(NotificationRoutes.replays, needs: .changeRegistry, at: .notifications) { context, _, id in
            try await replay(context, id)
        }
    }

    private static let filters: [ListFilter] = [
        ListFilter(
            name: "q", label: Message("console.notifications.search"),
            element: .text(type: "search", placeholder: Message("console.notifications.search.hint"))
        ) { Subject(rawValue: $0) != nil },
        .choice(
            "state", Message("console.notifications.state"), any: Message("console.notifications.any-state"),
            NotificationState.allCases.map { ($0.rawValue, $0.words) }),
        .choice(
            "type", Message("console.notifications.type"), any: Message("console.notifications.any-type"),
            NotificationType.allCases.map { ($0.rawValue, $0.rawValue) }),
    ]

    private func index(_ context: TeamContext) async throws -> Response {
        let (team, path) = (context.teamID, NotificationRoutes.notifications.link(context.teamID))
        let query = try ListQuery(context.request, at: path, Self.filters)
        let page = try await list.page(
            in: team,
            matching: NotificationFilter(
                state: query["state"].flatMap(NotificationState.init),
                type: query["type"].flatMap(NotificationType.init), subject: query["q"].flatMap(Subject.init(rawValue:))
            ), after: query.after, limit: ListQuery.pageSize)
        let told = try await registry.primaries(in: team).filter { $0.notificationURL != nil }
        var none = ListView.Empty(
            "bell", Message("console.notifications.none"), Message("console.notifications.none.hint"))
        if told.isEmpty {
            none.advice = Message("console.notifications.no-address")
            none.link = LinkView(
                Message("console.notifications.app-ids"), ConsoleRoutes.appIDs.link(team), isPrimary: true)
        }
        let notifications = ListView(
            title: Message("console.notifications.title"), about: Message("console.notifications.lead"), query: query,
            content: .table(Self.table(page.items, team)),
            paging: query.paging(
                page.summary(
                    { Message("console.notifications.found", count: $0) },
                    more: { Message("console.notifications.more", count: $0) }), next: page.next), none: none,
            unmatched: .unmatched(
                Message("console.notifications.none-found"), Message("console.notifications.none-found.hint"),
                all: Message("console.notifications.show-all"), query))
        let view = NotificationListPage(
            frame: context.frame(notifications.title), list: notifications,
            test: context.may(.changeRegistry) && !told.isEmpty ? Self.test(of: told, at: path) : nil)
        return site.respond(view)
    }

    private static func table(_ notifications: [NotificationSummary], _ team: TeamID) -> ListTable {
        ListTable(
            [
                .init(Message("console.notifications.type")), .init(Message("console.notifications.state")),
                .init(Message("console.notifications.app"), isWide: true),
                .init(Message("console.notifications.about"), isWide: true),
                .init(Message("console.notifications.attempts"), isWide: true),
                .init(Message("console.notifications.created")),
            ],
            notifications.map { notification in
                [
                    [
                        .link(notification.type.rawValue, NotificationRoutes.notification.link(team, notification.id)),
                        notification.isTest ? .badge(.plain, Message("console.notifications.test")) : nil,
                    ], [.badge(notification.state.badge), notification.retry.map { .text($0).below(isHint: true) }],
                    [.code(notification.appID.rawValue)], [.code(notification.subject.rawValue, isClipped: true)],
                    [.text(notification.attempts)], [.text(notification.createdAt)],
                ]
            })
    }

    /// The form that sends a test notification, which concerns no real user.
    private static func test(of appIDs: [AppID], at path: String) -> FormView {
        let types = NotificationType.allCases.map { Option($0.rawValue, $0.rawValue, isChosen: false) }
        return FormView(
            action: path, errors: [],
            inputs: [
                .appIDs(appIDs, chosen: "", label: Message("console.notifications.test.app-id")),
                Input("testType", Message("console.notifications.test.type"), as: .list(types)),
            ])
    }

    private func show(_ context: TeamContext, _ id: NotificationID) async throws -> Response {
        let notification = try await find(id, context)
        let mayReplay = context.may(.changeRegistry) && notification.state != .pending
        let view = NotificationDetailPage(
            frame: context.frame(notification.type.rawValue), team: context.teamID, notification: notification,
            attempts: try await list.attempts(of: id, in: context.teamID),
            replayURL: mayReplay ? NotificationRoutes.replays.link(context.teamID, id) : nil)
        return site.respond(view)
    }

    private func test(_ context: TeamContext, _ form: Form) async throws -> Response {
        guard let appID = form["appID"].flatMap(ClientID.init),
            let type = form["testType"].flatMap(NotificationType.init)
        else { throw UserFacingError(HTTPError.badRequest) }
        try await count(.probes, in: context.teamID)
        let id = try await replays.test(type, to: appID, in: context.teamID, by: context.actor, from: context.origin)
            .orNotFound()
        return context.redirect(
            to: NotificationRoutes.notification.link(context.teamID, id),
            saying: .good(Message("console.notifications.flash.tested")))
    }

    private func replay(_ context: TeamContext, _ id: NotificationID) async throws -> Response {
        _ = try await find(id, context)
        try await count(.probes, in: context.teamID)
        let isWaiting = try await replays.replay(id, in: context.teamID, by: context.actor, from: context.origin)
        return context.redirect(
            to: NotificationRoutes.notification.link(context.teamID, id),
            saying: isWaiting
                ? .good(Message("console.notifications.flash.replayed"))
                : .warn(Message("console.notifications.flash.waiting")))
    }

    private func find(_ id: NotificationID, _ context: TeamContext) async throws -> NotificationSummary {
        try await list.find(id, in: context.teamID).orNotFound()
    }

    static var views: [any View.Type] { [NotificationListPage.self, NotificationDetailPage.self] }
}

/// Routes of the delivery log.
enum NotificationRoutes {
    static let notifications = Route("/console/:team/notifications", TeamID.self)
    static let notification = Route("/console/:team/notifications/:notification", TeamID.self, NotificationID.self)
    /// A POST creates a replay: it sends the notification again.
    static let replays = Route("/console/:team/notifications/:notification/replays", TeamID.self, NotificationID.self)
}

/// Delivery log of a team's notifications, with the form that sends a test notification.
struct NotificationListPage: FramedPage {
    static let template = "console/notifications/index"
    static let fields = frameFields.with {
        $0.group("list", ListView.fields) { $0.list }
        $0.optionalGroup("test", FormView.fields) { $0.test }
    }

    let frame: ConsoleFrame
    let list: ListView
    /// Nil if no App ID has a notification URL, or if the account may not send one.
    let test: FormView?
}

extension NotificationState {
    var words: Message { Message(in: "console.notifications.state", rawValue) }

    var badge: BadgeView { BadgeView(self, in: "console.notifications.state", good: [.delivered], bad: [.dead]) }
}
