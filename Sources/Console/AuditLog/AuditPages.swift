import Core
import Directory
import HTTP
import Platform
import SignIn
import Templates

/// Handlers of a team's audit log: search, one event, export, verification against the seals.
struct AuditPages: ConsolePages {
    /// Maximum number of events that a request verifies; a longer log is verified in the background.
    private static let inlineLimit = 5000

    let parts: Console.Parts
    /// Names of all possible actions, sorted.
    private let actions: [String]

    init(parts: Console.Parts) {
        self.parts = parts
        let family = "console.actions."
        actions = parts.site.pages.texts.keys(in: .english).filter { $0.hasPrefix(family) }.map {
            String($0.dropFirst(family.count))
        }.sorted()
    }

    private var search: AuditSearchStore { AuditSearchStore(database) }
    private var chains: AuditChainStore { AuditChainStore(database) }
    private var seals: AuditSealStore { AuditSealStore(database, keys: keys) }
    private var keys: SealKeys { SealKeys(server.keyRing) }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.audit, needs: .read, at: .audit) { try await list($0) }
        router.get(ConsoleRoutes.auditEvent, needs: .read, at: .audit) { try await show($0, $1) }
        router.post(ConsoleRoutes.auditExport, needs: .exportAudit, at: .audit, countsForTeam: false) {
            try await export($0, $1)
        }
        router.post(ConsoleRoutes.auditVerification, needs: .exportAudit, at: .audit, countsForTeam: false) {
            context, _ in try await verify(context)
        }
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let (team, parameters) = (context.teamID, try context.request.parameters())
        let query = try AuditQuery(parameters, at: ConsoleRoutes.audit.link(team), actions: actions)
        let cursor = query.list.after.map { AuditEntry.Place(at: $0.at, id: $0.id) }
        var found: AuditPage?
        var summary = Self.count(.exactly(0))
        if query.errors.isEmpty {
            let filter = try await filter(query, in: team)
            let page = try await search.page(matching: filter, in: team, before: cursor)
            summary = page.count.map(Self.count) ?? Message("console.audit.found-so-far", count: page.entries.count)
            found = page
        }
        let entries = found?.entries ?? []
        let page = AuditLogPage(
            frame: context.frame(Message("console.audit.title")), team: team, query: query,
            rows: entries.map { AuditRow(entry: $0, team: team, isShort: true) },
            reached: found.flatMap { $0.isPartial ? $0.next.map { TimeView($0.at) } : nil },
            paging: query.list.paging(summary, next: found?.next.map { ListCursor($0.at, $0.id) }),
            chain: AuditChainView(
                chain: try await chains.find(in: team), team: team, mayVerify: context.may(.exportAudit)))
        return site.respond(page, status: query.errors.status)
    }

    private func show(_ context: TeamContext, _ reference: AuditReference) async throws -> Response {
        let entry = try await auditLog.find(reference.place, in: context.teamID).orNotFound()
        let seal = try await chains.seal(of: reference.place, in: context.teamID)
        return site.respond(
            AuditEventPage(
                frame: context.frame(AuditMessages.action(entry.action)),
                row: AuditRow(entry: entry, team: context.teamID), seal: seal))
    }

    static var views: [any View.Type] { [AuditLogPage.self, AuditEventPage.self] }
}

// Export and verification.
extension AuditPages {
    /// Exports the events that match the filters of the page with the export form.
    private func export(_ context: TeamContext, _ form: Form) async throws -> Response {
        let query = try AuditQuery(form, at: ConsoleRoutes.audit.link(context.teamID), actions: actions)
        guard query.errors.isEmpty, let format = form["format"].flatMap(AuditExportFormat.init(rawValue:)) else {
            throw UserFacingError(HTTPError.badRequest)
        }
        try await count(.heavyWork, in: context.teamID)
        let export = try await AuditExportStore(database).begin(
            try await filter(query, in: context.teamID), asked: query.json, as: format, in: context.teamID,
            by: context.actor, from: context.origin)
        let day = server.clock().description.prefix(10)
        let name = "audit-\(context.teamID)-\(day).\(format.rawValue)"
        return .attachment(BodyStream { try await export.next() }, named: name, type: format.mediaType)
    }

    /// Verifies the log after sealing the unsealed events, so that all are included.
    private func verify(_ context: TeamContext) async throws -> Response {
        let (team, path) = (context.teamID, ConsoleRoutes.audit.link(context.teamID) + "#seals")
        try await count(.heavyWork, in: team)
        let chain = try await chains.find(in: team)
        guard chain.head?.position ?? 0 <= Self.inlineLimit - chain.waiting, try await sealAll(in: team) else {
            try await chains.askForVerification(in: team, by: context.actor, from: context.origin)
            return context.redirect(to: path, saying: .warn(Message("console.audit.flash.asked")))
        }
        let report = try await AuditVerificationStore(database, keys: keys).verify(in: team)
        try await chains.note(report, in: team, by: context.actor, from: context.origin)
        let flash: Flash =
            report.findings.isEmpty
            ? .good(Message("console.audit.flash.whole", count: report.head?.position ?? 0))
            : .bad(Message("console.audit.flash.broken", count: report.findings.count))
        return context.redirect(to: path, saying: flash)
    }

    /// Seals the unsealed events, up to about `inlineLimit`.
    ///
    /// The limit is needed because `AuditChain.waiting` counts up to 1,000 only, and the team may add events as fast as
    /// they are sealed.
    ///
    /// - Returns: whether sealing ended before the limit; also true if another process is sealing the team's events.
    private func sealAll(in team: TeamID) async throws -> Bool {
        for _ in 0...Self.inlineLimit / AuditSealStore.batch {
            guard try await seals.seal(in: team) != nil else { return true }
        }
        return false
    }

    /// The filter of `query` with the ids that the actor field means: those of users of that name, and the text itself.
    private func filter(_ query: AuditQuery, in team: TeamID) async throws -> AuditFilter {
        var filter = query.filter
        if let actor = query.actor {
            var people = Set(try await search.people(named: actor, in: team)).union([actor])
            if let known = UserSearch(actor) {
                let users = try await UserListStore(database).page(in: team, matching: known, limit: 20)
                people.formUnion(users.items.map(\.subject.rawValue))
            }
            filter.actors = people.sorted()
        }
        return filter
    }

    private static func count(_ count: AuditCount) -> Message {
        switch count {
        case .exactly(let count): Message("console.audit.found", count: count)
        case .moreThan(let count): Message("console.audit.found-more", count: count)
        }
    }
}
