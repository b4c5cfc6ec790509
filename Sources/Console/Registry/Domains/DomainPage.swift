import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One domain: what was seen there, what belongs there.
struct DomainPage: ConsolePage {
    static let template = "console/domains/show"
    static let fields =
        frameFields
        .text("name") { $0.domain.name.text }
        .group("state", BadgeView.fields) { $0.domain.badge }
        .optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
        .optionalText("checkURL") { $0.checkURL }
        .optionalWords("checkError") { $0.checkWait.map(Phrase.checksLimited) }
        .optionalGroup("lapses", TimeView.fields) { $0.lapses }
        .optionalGroup("finding", findingFields) { $0.domain.finding }
        .optionalWords("advice") { $0.domain.advice(isNeeded: $0.isNeeded) }
        .group("address", CopyView.fields) { page in
            CopyView(Phrase("console.domains.address"), page.domain.associationURL)
        }
        .group("fileContent", CopyView.fields) { page in
            CopyView(Phrase("console.domains.content"), page.domain.file.content)
        }
        .text("fileURL") { RegistryRoutes.associationFile.link($0.team, $0.domain.name.text) }
        .text("fileName") { _ in AssociationFile.name }
        .list("serviceIDs", ServiceRow.fields) { page in
            page.domain.serviceIDs.map { ServiceRow(team: page.team, identifier: $0) }
        }

    private static let findingFields = Fields<DomainFinding>()
        .flag("good") { $0.kind == .served }
        .words("headline") { $0.headline }
        .optionalText("status") { $0.status.map { String($0) } }
        .optionalText("location") { $0.kind == .redirected ? $0.detail : nil }
        .optionalText("beginning") { finding in
            [.otherStatus, .otherContent].contains(finding.kind) ? finding.detail : nil
        }

    private struct ServiceRow: Sendable {
        let team: TeamID
        let identifier: ClientID

        static let fields = Fields<ServiceRow>()
            .text("url") { ConsoleRoutes.serviceID.link($0.team, $0.identifier) }
            .text("identifier") { $0.identifier.rawValue }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let domain: RegisteredDomain
    /// Whether the team's return URLs work on verified domains alone.
    let isNeeded: Bool
    let checkURL: String?
    /// How long the next check has to wait, where one was asked for too early.
    let checkWait: Duration?

    /// When a verified domain whose checks fail counts no more.
    private var lapses: TimeView? {
        guard case .failing(let since) = domain.state else { return nil }
        return TimeView(since + RegisteredDomain.grace)
    }
}

extension RegisteredDomain {
    var badge: BadgeView {
        switch state {
        case .pending: BadgeView(.plain, Phrase("console.domains.state.pending"))
        case .verified: BadgeView(.good, Phrase("console.domains.state.verified"))
        case .failing: BadgeView(.warn, Phrase("console.domains.state.failing"))
        case .unverified:
            BadgeView(isOwnMachine ? .plain : .bad, Phrase("console.domains.state.unverified"))
        }
    }
}
