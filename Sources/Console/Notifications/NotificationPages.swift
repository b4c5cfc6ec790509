import Bytes
import Directory
import Domain
import HTTP
import Localization
import Notifications
import Registry
import Templates
import Web

/// Pages of the notifications sent to apps: delivery log, details, replay and test.
struct NotificationPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let server: ServerContext
    private let database: TeamDatabase
    private let list: NotificationListStore
    private let replays: NotificationReplayStore
    private let registry: RegistryStores
    private let listPage: LivePage<NotificationListPage>
    private let detailPage: LivePage<NotificationDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        server = parts.server
        database = parts.database
        list = NotificationListStore(parts.database)
        replays = NotificationReplayStore(parts.database)
        registry = RegistryStores(
            parts.database, keyRing: parts.server.keyRing, random: parts.server.random, changed: parts.registryChanged)
        listPage = try parts.site.pages.page(NotificationListPage.self)
        detailPage = try parts.site.pages.page(NotificationDetailPage.self)
    }

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

    private func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let query = try context.request.parameters()
        let search = NotificationSearch(query)
        let trail = try PageHistory(NotificationRoutes.notifications.link(team), query, filter: search.parameters)
        let page = try await list.page(
            in: team, matching: search.filter,
            after: try trail.current.map { cursor throws(UserFacingError) in try Self.cursor(cursor) },
            limit: Self.pageSize)
        let next = page.next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        let told = try await registry.primaries(in: team).filter { $0.notificationURL != nil }
        let mayTest = context.may(.changeRegistry) && !told.isEmpty
        let view = NotificationListPage(
            frame: context.frame(Message("console.notifications.title")), team: team, search: search,
            rows: page.notifications.map { NotificationRow(notification: $0, team: team) },
            paging: trail.paging(Self.summary(page.total), next: next),
            test: mayTest
                ? NotificationTestForm(action: NotificationRoutes.notifications.link(team), appIDs: told) : nil,
            hasAddress: !told.isEmpty)
        return site.respond(listPage, view)
    }

    private static func summary(_ total: Int) -> Message {
        total > NotificationListStore.countLimit
            ? Message("console.notifications.more", count: NotificationListStore.countLimit)
            : Message("console.notifications.found", count: total)
    }

    private func show(_ context: TeamContext, _ id: NotificationID) async throws -> Response {
        let notification = try await find(id, context)
        let mayReplay = context.may(.changeRegistry) && notification.state != .pending
        let view = NotificationDetailPage(
            frame: context.frame(notification.type.rawValue), team: context.teamID, notification: notification,
            attempts: try await list.attempts(of: id, in: context.teamID),
            replayURL: mayReplay ? NotificationRoutes.replays.link(context.teamID, id) : nil)
        return site.respond(detailPage, view)
    }

    private func test(_ context: TeamContext, _ form: Form) async throws -> Response {
        guard let appID = form["appID"].flatMap(ClientID.init),
            let type = form["testType"].flatMap(NotificationType.init)
        else { throw UserFacingError(HTTPError.badRequest) }
        try await database.count([RateLimit.Use(.probes, by: .team)], in: context.teamID, at: server.clock())
        let id = try await replays.test(type, to: appID, in: context.teamID, by: context.actor, from: context.origin)
        guard let id else { throw UserFacingError.notFound }
        return context.redirect(
            to: NotificationRoutes.notification.link(context.teamID, id),
            saying: .good(Message("console.notifications.flash.tested")))
    }

    private func replay(_ context: TeamContext, _ id: NotificationID) async throws -> Response {
        _ = try await find(id, context)
        try await database.count([RateLimit.Use(.probes, by: .team)], in: context.teamID, at: server.clock())
        let isWaiting = try await replays.replay(id, in: context.teamID, by: context.actor, from: context.origin)
        return context.redirect(
            to: NotificationRoutes.notification.link(context.teamID, id),
            saying: isWaiting
                ? .good(Message("console.notifications.flash.replayed"))
                : .warn(Message("console.notifications.flash.waiting")))
    }

    private func find(_ id: NotificationID, _ context: TeamContext) async throws -> NotificationSummary {
        guard let notification = try await list.find(id, in: context.teamID) else { throw UserFacingError.notFound }
        return notification
    }

    private static func cursor(_ cursor: PageHistory.Cursor) throws(UserFacingError) -> NotificationPage.Cursor {
        guard let id = NotificationID(rawValue: cursor.id) else { throw UserFacingError(HTTPError.badRequest) }
        return NotificationPage.Cursor(createdAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [NotificationListPage.self, NotificationDetailPage.self] }
}
