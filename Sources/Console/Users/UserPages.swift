import Audit
import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The people of a team: found, looked at, signed out, deleted.
struct UserPages: Sendable {
    private static let pageSize = 50
    private static let eventLimit = 10
    private static let reasonLimit = 500

    private let site: Site
    private let list: UserListStore
    private let details: UserDetailStore
    private let history: AuditStore
    private let users: UserStore
    private let sessions: SessionStore
    private let consents: ConsentEndStore
    private let deletions: AccountDeletion
    private let listPage: LivePage<UserListPage>
    private let detailPage: LivePage<UserDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = UserListStore(parts.database)
        details = UserDetailStore(parts.database)
        history = AuditStore(parts.database)
        users = UserStore(parts.database)
        sessions = parts.sessions
        consents = ConsentEndStore(parts.database)
        deletions = AccountDeletion(parts.database)
        listPage = try parts.site.pages.page(UserListPage.self)
        detailPage = try parts.site.pages.page(UserDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.users, needs: .read, at: .users) { try await list($0) }
        router.get(ConsoleRoutes.user, needs: .read, at: .users) { try await show($0, $1) }
        router.post(UserRoutes.signOut, needs: .changeUsers, at: .users) { scope, _, subject in
            try await signOut(scope, subject)
        }
        router.post(UserRoutes.consentEnd, needs: .changeUsers, at: .users) { scope, _, subject, appID in
            try await endConsent(scope, subject, appID)
        }
        router.post(UserRoutes.deletion, needs: .changeUsers, at: .users) { try await delete($0, $1, $2) }
    }

    private func list(_ scope: Scope) async throws -> Response {
        let query = try scope.request.parameters()
        let search = query["q"].flatMap(UserSearch.init)
        let trail = try PageTrail(
            ConsoleRoutes.users.link(scope.teamID),
            query,
            filter: search.map { [("q", $0.text)] } ?? []
        )
        let page = try await list.page(
            in: scope.teamID,
            matching: search,
            after: try trail.current.map { cursor throws(Problem) in try Self.cursor(cursor) },
            limit: Self.pageSize
        )
        let next = page.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.subject.rawValue) }
        return site.respond(
            listPage,
            UserListPage(
                frame: scope.frame(Phrase("console.users.title")),
                query: search?.text,
                rows: page.users.map { .init(user: $0, team: scope.teamID) },
                paging: trail.paging(page.total.phrase, next: next)
            )
        )
    }

    private func show(_ scope: Scope, _ subject: Subject) async throws -> Response {
        site.respond(detailPage, try await page(scope, subject))
    }

    private func signOut(_ scope: Scope, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        let count = try await sessions.endAll(
            of: subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        let flash: Flash =
            count == 0
            ? .warn(Phrase("console.users.flash.signed-in-nowhere", ["name": user.shownName]))
            : .good(Phrase("console.users.flash.signed-out", ["name": user.shownName]))
        return scope.redirect(to: ConsoleRoutes.user.link(scope.teamID, subject), saying: flash)
    }

    private func endConsent(_ scope: Scope, _ subject: Subject, _ appID: ClientID) async throws -> Response {
        _ = try await find(subject, scope)
        let ended = try await consents.end(
            of: subject,
            for: appID,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard ended else { throw Problem.notFound }
        return scope.redirect(
            to: ConsoleRoutes.user.link(scope.teamID, subject),
            saying: .good(Phrase("console.users.flash.consent-ended"))
        )
    }

    /// The text as one line: without line breaks and other control characters, which PostgreSQL may refuse too.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        return String(line)
    }

    /// Asks for the typed confirmation again where it does not fit; nothing happens without it.
    private func delete(_ scope: Scope, _ form: Form, _ subject: Subject) async throws -> Response {
        let user = try await find(subject, scope)
        let reason = Self.line(form["reason"] ?? "")
        var errors = FieldErrors()
        if form["confirmation"] != user.confirmationText {
            errors.add(
                "confirmation",
                Phrase("console.confirm.type.wrong", ["expected": user.confirmationText])
            )
        }
        if !reason.contains(where: { !$0.isWhitespace }) {
            errors.add("reason", Phrase("console.confirm.reason.missing"))
        }
        if reason.unicodeScalars.count > Self.reasonLimit {
            errors.add("reason", Phrase("console.confirm.reason.too-long", count: Self.reasonLimit))
        }
        guard errors.isEmpty else {
            var page = try await page(scope, subject)
            (page.confirmation, page.reason, page.errors) = (form["confirmation"] ?? "", reason, errors)
            return site.respond(detailPage, page, status: .unprocessableContent)
        }
        let deleted = try await deletions.delete(
            subject,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            reason: reason
        )
        guard deleted != nil else { throw Problem.notFound }
        return scope.redirect(
            to: ConsoleRoutes.users.link(scope.teamID),
            saying: .good(Phrase("console.users.flash.deleted", ["name": user.shownName]))
        )
    }

    private func page(_ scope: Scope, _ subject: Subject) async throws -> UserDetailPage {
        let team = scope.teamID
        guard let detail = try await details.find(subject, in: team) else { throw Problem.notFound }
        let target = AuditEvent.Target("user", subject.rawValue)
        let entries = try await history.list(about: target, in: team, limit: Self.eventLimit)
        return UserDetailPage(
            frame: scope.frame(detail.user.shownName),
            team: team,
            detail: detail,
            events: entries.map { AuditLine($0, in: team) },
            mayChange: scope.may(.changeUsers)
        )
    }

    private func find(_ subject: Subject, _ scope: Scope) async throws -> User {
        guard let user = try await users.find(subject, in: scope.teamID) else { throw Problem.notFound }
        return user
    }

    private static func cursor(_ cursor: PageTrail.Cursor) throws(Problem) -> UserPage.Cursor {
        guard let subject = Subject(rawValue: cursor.id) else { throw Problem(Refusal.badRequest) }
        return UserPage.Cursor(createdAt: cursor.at, subject: subject)
    }

    static var views: [any View.Type] { [UserListPage.self, UserDetailPage.self] }
}
