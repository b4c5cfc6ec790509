import Core
import HTTP
import Platform
import SignIn
import Templates

/// Page of the audit log: search form, matching events, state of the seal chain.
struct AuditLogPage: FramedPage {
    static let template = "console/audit/index"
    static let fields = frameFields.with {
        $0.text("query") { $0.query.list.search }
        $0.list("chips", ChipView.fields) { $0.query.chips }
        $0.text("clearURL") { $0.query.list.path }
        $0.flag("filtered") { $0.query.list.isFiltered }
        $0.flag("detailed") { $0.query.isDetailed }
        $0.flag("invalid") { !$0.query.errors.isEmpty }
        $0.list("inputs", Input.fields) { $0.query.inputs }
        $0.list("rows", AuditRow.fields) { $0.rows }
        $0.optionalGroup("reached", TimeView.fields) { $0.reached }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.group("chain", AuditChainView.fields) { $0.chain }
        $0.optionalText("exportURL") { $0.chain.mayVerify ? ConsoleRoutes.auditExport.link($0.team) : nil }
        $0.list("parameters", parameterFields) { $0.query.list.parameters }
    }

    /// A filter, repeated as a hidden field of the export form.
    private static let parameterFields = Fields<(name: String, value: String)> {
        $0.text("name") { $0.name }
        $0.text("value") { $0.value }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: AuditQuery
    let rows: [AuditRow]
    /// Time down to which a partial search has examined the log; the next page continues there.
    let reached: TimeView?
    let paging: PagingView
    let chain: AuditChainView
}

/// Page of one event: all stored data, and links to related events.
struct AuditEventPage: FramedPage {
    static let template = "console/audit/show"
    static let fields = frameFields.with {
        $0.group("event", AuditRow.fields) { $0.row }
        $0.text("name") { $0.entry.action }
        $0.text("exact") { $0.entry.at.precise }
        $0.words("actorKind") { AuditMessages.kind($0.entry.actorKind) }
        $0.text("actorID") { $0.entry.actor }
        $0.optionalText("actorEmail") { $0.entry.actorPerson?.email }
        $0.words("targetKind") { AuditMessages.kind($0.entry.targetKind) }
        $0.text("targetID") { $0.entry.target }
        $0.optionalText("targetEmail") { $0.entry.targetPerson?.email }
        $0.words("outcome") { Message(in: "console.audit.outcome", $0.entry.outcome.rawValue) }
        $0.optionalText("ipURL") { page in page.entry.ip.map { page.row.log([("ip", $0)]) } }
        $0.optionalText("requestURL") { page in page.entry.requestID.map { page.row.log([("q", $0)]) } }
        $0.optionalGroup("request", CopyView.fields) { page in
            page.entry.requestID.map { CopyView(Message("console.audit.reference"), $0) }
        }
        $0.group("id", CopyView.fields) { CopyView(Message("console.audit.id"), $0.entry.id) }
        $0.optionalWords("seal") { page in page.seal.map { Message("console.audit.sealed-as", count: $0.position) } }
        $0.optionalGroup("sealed", TimeView.fields) { $0.seal.map { TimeView($0.at) } }
        $0.text("logURL") { ConsoleRoutes.audit.link($0.row.team) }
    }

    let frame: ConsoleFrame
    let row: AuditRow
    let seal: (position: Int, at: Timestamp)?

    private var entry: AuditEntry { row.entry }
}

/// State of a team's seal chain: how far the log is sealed, and the result of the last verification.
struct AuditChainView: Sendable {
    let chain: AuditChain
    let team: TeamID
    let mayVerify: Bool

    /// A finding of a verification, with a link to the event.
    private struct Finding: Sendable {
        let finding: AuditFinding
        let team: TeamID

        static let fields = Fields<Finding> {
            $0.words("words") { Message(in: "console.audit.finding", $0.finding.kind.rawValue) }
            $0.text("detail") { $0.finding.place.map { "\($0.at) \($0.id)" } ?? $0.finding.detail }
            $0.optionalText("url") { row in
                row.finding.kind == .removed
                    ? nil : row.finding.place.map { ConsoleRoutes.auditEvent.link(row.team, AuditReference($0)) }
            }
        }
    }

    static let fields = Fields<AuditChainView> {
        $0.group("badge", BadgeView.fields) { $0.badge }
        $0.optionalWords("position") { view in
            view.chain.head.map { Message("console.audit.seals.position", count: $0.position) }
        }
        $0.optionalGroup("sealed", TimeView.fields) { $0.chain.sealedAt.map { TimeView($0) } }
        $0.optionalGroup("head", CopyView.fields) { view in
            view.chain.head.map { CopyView(Message("console.audit.seals.head"), $0.text) }
        }
        $0.optionalWords("waiting") { view in
            view.chain.waiting == 0 ? nil : Message("console.audit.seals.waiting", count: view.chain.waiting)
        }
        $0.optionalGroup("verified", TimeView.fields) { $0.chain.verifiedAt.map { TimeView($0) } }
        $0.optionalWords("verifiedPosition") { view in
            view.chain.verifiedPosition.map { Message("console.audit.seals.up-to", count: $0) }
        }
        $0.flag("due") { $0.chain.isVerificationDue }
        $0.words("retention") { Message("console.audit.seals.kept", count: $0.chain.retentionDays) }
        $0.list("findings", Finding.fields) { view in view.chain.findings.map { Finding(finding: $0, team: view.team) }
        }
        $0.optionalText("verifyURL") { $0.mayVerify ? ConsoleRoutes.auditVerification.link($0.team) : nil }
    }

    private var badge: BadgeView {
        if !chain.findings.isEmpty { return BadgeView(.bad, Message("console.audit.seals.broken")) }
        if chain.verifiedAt != nil { return BadgeView(.good, Message("console.audit.seals.whole")) }
        return BadgeView(.plain, Message("console.audit.seals.unverified"))
    }
}
