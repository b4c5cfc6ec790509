import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Pages of a team's users: search, details, sign-out, suspension, data export and deletion.
struct UserPages: ConsolePages {
    private static let eventLimit = 10
    private static let traceLimit = 5

    let parts: Console.Parts

    private var details: UserDetailStore { UserDetailStore(database) }
    private var upstreamTokens: UpstreamTokenListStore { UpstreamTokenListStore(database) }
    private var suspensions: UserSuspensionStore { UserSuspensionStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.users, needs: .read, at: .users) { try await list($0) }
        router.get(ConsoleRoutes.user, needs: .read, at: .users) { try await show($0, $1) }
        mountChanges(on: &router)
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.users.search.label"), placeholder: Message("console.users.search.placeholder")
        ) { UserSearch($0) != nil }
        let query = try ListQuery(context.request, at: ConsoleRoutes.users.link(team), [search])
        let page = try await UserListStore(database).page(
            in: team, matching: UserSearch(query.search), after: query.after, limit: ListQuery.pageSize)
        let hasTokens = try await hasAppleTokens(in: team)
        let view = ListView(
            title: Message("console.users.title"), about: Message("console.users.about"),
            links: [
                hasTokens ? LinkView(Message("console.apple-tokens.link"), AppleTokenRoutes.tokens.link(team)) : nil,
                LinkView(
                    context.may(.changeUsers)
                        ? Message("console.users.invitations") : Message("console.user-invitations.title"),
                    UserInvitationRoutes.list.link(team)),
            ], query: query, content: .table(Self.table(page.items, team)),
            paging: query.paging(
                page.summary(
                    { Message("console.users.found", count: $0) },
                    more: { Message("console.users.found-more", count: $0) }), next: page.next),
            none: .init(
                "users", Message("console.users.none"), Message("console.users.none.advice"),
                LinkView(Message("console.users.none.action"), ConsoleRoutes.serviceIDs.link(team), isPrimary: true)),
            unmatched: .unmatched(
                Message("console.users.search.none", ["query": query.search]), Message("console.users.search.advice"),
                all: Message("console.users.search.all"), query))
        return site.respond(ListPage(context, view))
    }

    private static func table(_ users: [User], _ team: TeamID) -> ListTable {
        ListTable(
            [
                .init(Message("console.users.name")), .init(Message("console.users.email")),
                .init(Message("console.users.sub"), isWide: true),
                .init(Message("console.users.created"), isWide: true),
                .init(Message("console.users.last-sign-in"), isWide: true),
            ],
            users.map { user in
                [
                    [
                        .link(user.shownName, ConsoleRoutes.user.link(team, user.subject)),
                        user.suspendedAt == nil ? nil : .badge(.bad, Message("console.users.state.suspended")),
                    ],
                    [
                        .text(user.email?.shown ?? ""),
                        user.relayAddress == nil ? nil : .badge(.plain, Message("console.users.hidden")),
                    ], [.code(user.subject.rawValue, isClipped: true)], [.text(user.createdAt)],
                    [.text(user.lastSignInAt ?? Message("console.users.never") as any LocalizedTextConvertible)],
                ]
            })
    }

    /// Includes tokens left by a deleted connection.
    private func hasAppleTokens(in team: TeamID) async throws -> Bool {
        if try await registry.appleConnections.hasAny(in: team) { return true }
        return try await upstreamTokens.hasAny(in: team)
    }

    private func show(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        site.respond(try await page(context, subject))
    }

    private func page(_ context: TeamContext, _ subject: Subject) async throws -> UserDetailPage {
        let team = context.teamID
        let detail = try await details.find(subject, in: team, at: server.clock()).orNotFound()
        let target = AuditEvent.Target("user", subject.rawValue)
        let entries = try await auditLog.list(about: target, in: team, limit: Self.eventLimit)
        var filter = TraceFilter()
        filter.subject = subject
        let now = server.clock()
        let recent = try await TraceListStore(database).page(
            in: team, matching: filter, limit: Self.traceLimit, at: now)
        return UserDetailPage(
            frame: context.frame(detail.user.shownName), team: team, detail: detail,
            refreshTokens: try await details.refreshTokens(of: subject, in: team),
            factors: try await FactorStore(database).enrolled(of: subject, in: team),
            apple: try await apple(detail.user, in: team), events: entries.map { $0.row(in: team) },
            traces: recent.items.map { trace in
                ListRow(
                    trace.clientID?.rawValue ?? "", at: ConsoleRoutes.trace.link(team, trace.id),
                    for: .verbatim(trace.id.startedAt.precise), end: TraceStatus.parts(of: trace, at: now),
                    hasArrow: false)
            }, mayChange: context.may(.changeUsers))
    }

    private func apple(_ user: User, in team: TeamID) async throws -> [UserAppleView] {
        let known = try await UpstreamIdentityListStore(database).list(of: user.subject, in: team).filter {
            $0.provider == .apple
        }
        guard !known.isEmpty else { return [] }
        let tokens = try await upstreamTokens.list(of: user.subject, in: team)
        return known.map { UserAppleView(identity: $0, user: user, tokens: tokens) }
    }

    private func find(_ subject: Subject, _ context: TeamContext) async throws -> User {
        try await users.find(subject, in: context.teamID).orNotFound()
    }

    static var views: [any View.Type] { [UserDetailPage.self] }
}

extension User {
    /// Display name: the name, else the email, else the `sub`.
    var shownName: String { name.isEmpty ? email?.shown ?? subject.rawValue : name.full }
}

// Changes to a user, and the export of a user's data.
extension UserPages {
    private func mountChanges(on router: inout ConsoleRouter) {
        router.post(UserRoutes.suspension, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await suspend($0, $1, $2)
        }
        router.post(UserRoutes.suspensionEnd, needs: .changeUsers, at: .users) { context, _, subject in
            try await unsuspend(context, subject)
        }
        router.post(UserRoutes.export, needs: .changeUsers, at: .users) { context, _, subject in
            try await export(context, subject)
        }
        router.post(UserRoutes.deletion, needs: .changeUsers, at: .users, countsForTeam: false) {
            try await delete($0, $1, $2)
        }
    }

    private func suspend(_ context: TeamContext, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        let reason = Reason(form["suspension_reason"])
        if let problem = reason.problem {
            var page = try await page(context, subject)
            page.suspensionReason = reason.typed
            page.errors.add("suspension_reason", problem)
            return site.respond(page, status: .unprocessableContent)
        }
        let isSuspended = try await suspensions.suspend(
            subject, because: reason.text, in: context.teamID, by: context.actor, from: context.origin)
        let flash: Flash =
            isSuspended
            ? .good(Message("console.users.flash.suspended", ["name": user.shownName]))
            : .warn(Message("console.users.flash.suspended-already", ["name": user.shownName]))
        return back(context, subject, flash)
    }

    private func unsuspend(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        _ = try await suspensions.unsuspend(of: subject, in: context.teamID, by: context.actor, from: context.origin)
        return back(context, subject, .good(Message("console.users.flash.unsuspended", ["name": user.shownName])))
    }

    /// Streams the user's data as a JSON attachment with `Cache-Control: no-store`.
    private func export(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        try await count(.heavyWork, in: context.teamID)
        let export = try await PersonExportStore(database).begin(
            subject, in: context.teamID, for: .team, by: context.actor, from: context.origin
        ).orNotFound()
        let name = String(decoding: subject.rawValue.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        return .attachment(
            BodyStream { try await export.next() }, named: "\(context.teamID)-\(name).json", type: "application/json")
    }

    /// Deletes a user if the confirmation is valid, else renders the form again with its errors.
    private func delete(_ context: TeamContext, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, context)
        let confirmation = Confirmation(form, expecting: user.confirmationText)
        guard let reason = confirmation.reason else {
            var page = try await page(context, subject)
            page.confirmation = confirmation
            return site.respond(page, status: confirmation.status)
        }
        _ = try await deletions.delete(
            subject, in: context.teamID, by: context.actor, from: context.origin, reason: reason
        ).orNotFound()
        return context.redirect(
            to: ConsoleRoutes.users.link(context.teamID),
            saying: .good(Message("console.users.flash.deleted", ["name": user.shownName])))
    }

    private func back(_ context: TeamContext, _ subject: Subject, _ flash: Flash) -> Response {
        context.redirect(to: ConsoleRoutes.user.link(context.teamID, subject), saying: flash)
    }
}

/// Routes of changes to a user, and of the user's second factors and data export.
enum UserRoutes {
    static let signOut = Route("/console/:team/users/:sub/sessions/end", TeamID.self, Subject.self)
    static let consentEnd = Route(
        "/console/:team/users/:sub/consents/:app/end", TeamID.self, Subject.self, ClientID.self)
    static let tokenRevocation = Route(
        "/console/:team/users/:sub/tokens/:refresh/revocation", TeamID.self, Subject.self, RefreshTokenID.self)
    static let tokenRevocations = Route("/console/:team/users/:sub/tokens/revocation", TeamID.self, Subject.self)
    static let suspension = Route("/console/:team/users/:sub/suspension", TeamID.self, Subject.self)
    static let suspensionEnd = Route("/console/:team/users/:sub/suspension/end", TeamID.self, Subject.self)
    static let factors = Route("/console/:team/users/:sub/factors", TeamID.self, Subject.self)
    static let factorReset = Route("/console/:team/users/:sub/factors/reset", TeamID.self, Subject.self)
    static let export = Route("/console/:team/users/:sub/export", TeamID.self, Subject.self)
    static let deletion = Route("/console/:team/users/:sub/deletion", TeamID.self, Subject.self)
}
