import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// How far the log is sealed, and whether it was found whole.
struct AuditChainView: Sendable {
    let chain: AuditChain
    let team: TeamID
    let mayVerify: Bool

    /// What a verification found, with the way to the event.
    private struct Finding: Sendable {
        let finding: AuditFinding
        let team: TeamID

        static let fields = Fields<Finding>()
            .words("words") { Phrase(in: "console.audit.finding", $0.finding.kind.rawValue) }
            .text("detail") { $0.finding.place.map { "\($0.at) \($0.id)" } ?? $0.finding.detail }
            .optionalText("url") { row in
                row.finding.kind == .removed
                    ? nil
                    : row.finding.place.map { ConsoleRoutes.auditEvent.link(row.team, AuditReference($0)) }
            }
    }

    static let fields = Fields<AuditChainView>()
        .group("badge", BadgeView.fields) { $0.badge }
        .optionalWords("position") { view in
            view.chain.head.map { Phrase("console.audit.seals.position", count: $0.position) }
        }
        .optionalGroup("sealed", TimeView.fields) { $0.chain.sealedAt.map { TimeView($0) } }
        .optionalGroup("head", CopyView.fields) { view in
            view.chain.head.map {
                CopyView(Phrase("console.audit.seals.head"), $0.text)
            }
        }
        .optionalWords("waiting") { view in
            view.chain.waiting == 0 ? nil : Phrase("console.audit.seals.waiting", count: view.chain.waiting)
        }
        .optionalGroup("verified", TimeView.fields) { $0.chain.verifiedAt.map { TimeView($0) } }
        .optionalWords("verifiedPosition") { view in
            view.chain.verifiedPosition.map { Phrase("console.audit.seals.up-to", count: $0) }
        }
        .flag("due") { $0.chain.isVerificationDue }
        .words("retention") { Phrase("console.audit.seals.kept", count: $0.chain.retentionDays) }
        .list("findings", Finding.fields) { view in
            view.chain.findings.map { Finding(finding: $0, team: view.team) }
        }
        .optionalText("verifyURL") { $0.mayVerify ? ConsoleRoutes.auditVerification.link($0.team) : nil }

    private var badge: BadgeView {
        if !chain.findings.isEmpty { return BadgeView(.bad, Phrase("console.audit.seals.broken")) }
        if chain.verifiedAt != nil { return BadgeView(.good, Phrase("console.audit.seals.whole")) }
        return BadgeView(.plain, Phrase("console.audit.seals.unverified"))
    }
}
