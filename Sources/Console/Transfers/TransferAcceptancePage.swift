import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// What comes along with an App ID that another team offers, and the form that takes it.
struct TransferAcceptancePage: ConsolePage {
    static let template = "console/transfers/acceptance"
    static let fields =
        frameFields
        .text("backURL") { TransferPages.transfers.link($0.team) }
        .text("appID") { $0.transfer.appID.rawValue }
        .text("description") { $0.transfer.registration.description }
        .text("source") { $0.transfer.source.rawValue }
        .group("offered", TimeView.fields) { TimeView($0.transfer.offeredAt) }
        .optionalText("notificationURL") { page in
            let url = page.transfer.registration.notificationURL
            return url.isEmpty ? nil : url
        }
        .optionalWords("people") { page in
            page.transfer.registration.people.map { Self.users($0).asWords }
        }
        .list("services", Service.fields) { page in
            page.transfer.registration.services.map { Service(service: $0) }
        }
        .group("danger", DangerView.fields) { $0.danger }

    private static func users(_ count: Int) -> Phrase {
        let limit = AppIDConsequences.countLimit
        return count > limit
            ? Phrase("console.transfers.more-people", count: limit)
            : Phrase("console.transfers.people", count: count)
    }

    /// A Service ID that comes along.
    struct Service: Sendable {
        let service: TransferredRegistration.Service

        static let fields = Fields<Service>()
            .text("identifier") { $0.service.identifier }
            .text("description") { $0.service.description }
            .list("domains", Fields<String>().text("text") { $0 }) { $0.service.domains }
            .list("returnURLs", Fields<String>().text("text") { $0 }) { $0.service.returnURLs }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let transfer: AppTransfer
    private let danger: DangerView

    /// - Parameters:
    ///   - confirmation: what was typed; nil before anything was.
    init(
        _ transfer: AppTransfer,
        _ scope: Scope,
        _ confirmation: Confirmation? = nil,
        _ problems: FormProblems = .none
    ) {
        frame = scope.frame(Phrase("console.transfers.acceptance"))
        team = scope.teamID
        self.transfer = transfer
        danger = (confirmation ?? Confirmation(expecting: transfer.appID.rawValue)).view(
            action: TransferPages.acceptance.link(scope.teamID, transfer.id),
            summary: Phrase("console.transfers.acceptance.summary"),
            consequences: [
                Phrase("console.transfers.acceptance.urls"), Phrase("console.transfers.acceptance.people"),
            ],
            button: Phrase("console.transfers.accept"),
            problems
        )
    }
}
