import Audit
import Bytes
import Domain
import HTTP
import Localization
import Templates
import Web

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
