import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one domain: the result of the last check, and the file that it must serve.
struct DomainPage: ConsolePage {
    static let template = "console/domains/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.domain.name.text }
        $0.group("state", BadgeView.fields) { $0.domain.badge }
        $0.optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalGroup("lapses", TimeView.fields) { $0.lapses }
        $0.optionalGroup("finding", findingFields) { $0.domain.finding }
        $0.optionalWords("advice") { $0.domain.advice(isNeeded: $0.isNeeded) }
        $0.group("address", CopyView.fields) { page in
            CopyView(Message("console.domains.address"), page.domain.associationURL)
        }
        $0.group("fileContent", CopyView.fields) { page in
            CopyView(Message("console.domains.content"), page.domain.file.content)
        }
        $0.text("fileURL") { RegistryRoutes.associationFile.link($0.team, $0.domain.name.text) }
        $0.text("fileName") { _ in AssociationFile.name }
        $0.list("serviceIDs", ServiceRow.fields) { page in
            page.domain.serviceIDs.map { ServiceRow(team: page.team, identifier: $0) }
        }
    }

    private static let findingFields = Fields<DomainFinding> {
        $0.flag("good") { $0.kind == .served }
        $0.words("headline") { $0.headline }
        $0.optionalText("status") { $0.status.map { String($0) } }
        $0.optionalText("location") { $0.kind == .redirected ? $0.detail : nil }
        $0.optionalText("beginning") { finding in
            [.otherStatus, .otherContent].contains(finding.kind) ? finding.detail : nil
        }
    }

    private struct ServiceRow: Sendable {
        let team: TeamID
        let identifier: ClientID

        static let fields = Fields<ServiceRow> {
            $0.text("url") { ConsoleRoutes.serviceID.link($0.team, $0.identifier) }
            $0.text("identifier") { $0.identifier.rawValue }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let domain: RegisteredDomain
    /// Whether the team accepts return URLs on verified domains only.
    let isNeeded: Bool
    let checkURL: String?

    /// Time at which a verified domain with failing checks becomes unverified.
    private var lapses: TimeView? {
        guard case .failing(let since) = domain.state else { return nil }
        return TimeView(since + RegisteredDomain.grace)
    }
}

extension RegisteredDomain {
    var badge: BadgeView {
        switch state {
        case .pending: BadgeView(.plain, Message("console.domains.state.pending"))
        case .verified: BadgeView(.good, Message("console.domains.state.verified"))
        case .failing: BadgeView(.warn, Message("console.domains.state.failing"))
        case .unverified: BadgeView(isOwnMachine ? .plain : .bad, Message("console.domains.state.unverified"))
        }
    }
}
