import Audit
import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The audit log of a team: searched, looked at, exported, verified.
struct AuditPages: Sendable {
    /// A longer log is verified in the background: nobody waits for an answer that long.
    private static let inlineLimit = 5000

    private let site: Site
    private let context: EngineContext
    private let events: AuditStore
    private let search: AuditSearchStore
    private let chains: AuditChainStore
    private let seals: AuditSealStore
    private let verification: AuditVerificationStore
    private let exports: AuditExportStore
    private let limit: TeamWorkLimit
    /// The names of everything that may have happened, in their order.
    private let actions: [String]
    private let listPage: LivePage<AuditLogPage>
    private let eventPage: LivePage<AuditEventPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        events = AuditStore(parts.database)
        search = AuditSearchStore(parts.database)
        chains = AuditChainStore(parts.database)
        let keys = SealKeys(parts.context.keyRing)
        seals = AuditSealStore(parts.database, keys: keys)
        verification = AuditVerificationStore(parts.database, keys: keys)
        exports = AuditExportStore(parts.database)
        limit = .audits(LimitStore(parts.database))
        actions = Self.actions(in: parts.site.pages.texts)
        listPage = try parts.site.pages.page(AuditLogPage.self)
        eventPage = try parts.site.pages.page(AuditEventPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.audit, needs: .read, at: .audit) { try await list($0) }
        router.get(ConsoleRoutes.auditEvent, needs: .read, at: .audit) { try await show($0, $1) }
        router.post(ConsoleRoutes.auditExport, needs: .exportAudit, at: .audit, countsForTeam: false) {
            try await export($0, $1)
        }
        router.post(ConsoleRoutes.auditVerification, needs: .exportAudit, at: .audit, countsForTeam: false) {
            scope,
            _ in
            try await verify(scope)
        }
    }

    private func list(_ scope: Scope) async throws -> Response {
        let (team, parameters) = (scope.teamID, try scope.request.parameters())
        let query = AuditQuery(parameters)
        let path = ConsoleRoutes.audit.link(team)
        let trail = try PageTrail(path, parameters, filter: query.parameters)
        let cursor = trail.current.map { AuditEntry.Place(at: $0.at, id: $0.id) }
        var found: AuditPage?
        var summary = Self.count(.exactly(0))
        if query.errors.isEmpty {
            let filter = try await filter(query, in: team)
            let page = try await search.page(matching: filter, in: team, before: cursor)
            summary =
                page.count.map(Self.count)
                ?? Phrase("console.audit.found-so-far", count: page.entries.count)
            found = page
        }
        let entries = found?.entries ?? []
        let page = AuditLogPage(
            frame: scope.frame(Phrase("console.audit.title")),
            team: team,
            query: query,
            actions: actions,
            rows: entries.map { AuditRow(entry: $0, team: team, isShort: true) },
            reached: found.flatMap { $0.isPartial ? $0.next.map { TimeView($0.at) } : nil },
            paging: trail.paging(summary, next: found?.next.map { PageTrail.Cursor(at: $0.at, id: $0.id) }),
            chain: AuditChainView(
                chain: try await chains.find(in: team),
                team: team,
                mayVerify: scope.may(.exportAudit)
            )
        )
        return site.respond(
            listPage,
            page,
            status: query.errors.isEmpty ? .ok : .unprocessableContent
        )
    }

    private func show(_ scope: Scope, _ reference: AuditReference) async throws -> Response {
        guard let entry = try await events.find(reference.place, in: scope.teamID) else {
            throw Problem.notFound
        }
        let seal = try await chains.seal(of: reference.place, in: scope.teamID)
        return site.respond(
            eventPage,
            AuditEventPage(
                frame: scope.frame(AuditWords.action(entry.action)),
                row: AuditRow(entry: entry, team: scope.teamID),
                seal: seal
            )
        )
    }

    static var views: [any View.Type] { [AuditLogPage.self, AuditEventPage.self] }
}

// Taking the log along, and holding it against its seals.
extension AuditPages {
    /// The filters are those of the page the button stands on.
    private func export(_ scope: Scope, _ form: Form) async throws -> Response {
        let query = AuditQuery(form)
        guard query.errors.isEmpty, let format = form["format"].flatMap(AuditExportFormat.init(rawValue:))
        else {
            throw Problem(Refusal.badRequest)
        }
        try await limit.charge(scope.teamID, at: context.clock())
        let export = try await exports.begin(
            try await filter(query, in: scope.teamID),
            asked: query.json,
            as: format,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        let day = context.clock().description.prefix(10)
        let name = "audit-\(scope.teamID)-\(day).\(format.rawValue)"
        return Response(
            fields: [
                HeaderField(.contentType, format.mediaType),
                HeaderField(.contentDisposition, "attachment; filename=\"\(name)\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ],
            stream: BodyStream { try await export.next() }
        )
    }

    /// What waits is sealed first, so that nothing is left out.
    private func verify(_ scope: Scope) async throws -> Response {
        let (team, path) = (scope.teamID, ConsoleRoutes.audit.link(scope.teamID) + "#seals")
        try await limit.charge(team, at: context.clock())
        let chain = try await chains.find(in: team)
        guard chain.head?.position ?? 0 <= Self.inlineLimit - chain.waiting,
            try await sealAll(in: team)
        else {
            try await chains.askForVerification(in: team, by: scope.actor, from: scope.origin)
            return scope.redirect(to: path, saying: .warn(Phrase("console.audit.flash.asked")))
        }
        let report = try await verification.verify(in: team)
        try await chains.note(report, in: team, by: scope.actor, from: scope.origin)
        let flash: Flash =
            report.findings.isEmpty
            ? .good(Phrase("console.audit.flash.whole", count: report.head?.position ?? 0))
            : .bad(Phrase("console.audit.flash.broken", count: report.findings.count))
        return scope.redirect(to: path, saying: flash)
    }

    /// Seals what waits, unless that is more than somebody waits for: it is counted up to a thousand, and the team may
    /// write as fast as it is sealed.
    ///
    /// - Returns: whether nothing waits any more.
    private func sealAll(in team: TeamID) async throws -> Bool {
        for _ in 0...Self.inlineLimit / AuditSealStore.batch {
            guard try await seals.seal(in: team) != nil else { return true }
        }
        return false
    }

    /// Whom a name means is looked up; an id means itself.
    private func filter(_ query: AuditQuery, in team: TeamID) async throws -> AuditFilter {
        var filter = query.filter
        if let actor = query.actor {
            filter.actors = try await search.people(named: actor, in: team).filter { $0 != actor } + [actor]
        }
        return filter
    }

    private static func actions(in texts: Texts) -> [String] {
        let family = "console.actions."
        return texts.keys(in: .english).filter { $0.hasPrefix(family) }
            .map { String($0.dropFirst(family.count)) }.sorted()
    }

    private static func count(_ count: AuditCount) -> Phrase {
        switch count {
        case .exactly(let count): Phrase("console.audit.found", count: count)
        case .moreThan(let count): Phrase("console.audit.found-more", count: count)
        }
    }
}
