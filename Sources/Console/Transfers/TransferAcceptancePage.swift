import Accounts
import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// What is transferred with an App ID that another team offers, with the form that accepts it.
struct TransferAcceptancePage: ConsolePage {
    static let template = "console/transfers/acceptance"
    static let fields = frameFields.with {
        $0.text("backURL") { TransferPages.transfers.link($0.team) }
        $0.text("appID") { $0.transfer.appID.rawValue }
        $0.text("description") { $0.transfer.registration.description }
        $0.text("source") { $0.transfer.source.rawValue }
        $0.group("offered", TimeView.fields) { TimeView($0.transfer.offeredAt) }
        $0.optionalText("notificationURL") { page in
            let url = page.transfer.registration.notificationURL
            return url.isEmpty ? nil : url
        }
        $0.optionalWords("people") { page in page.transfer.registration.people.map { Self.users($0).localizedText } }
        $0.list("services", Service.fields) { page in page.transfer.registration.services.map { Service(service: $0) } }
        $0.group("danger", DangerView.fields) { $0.danger }
    }

    private static func users(_ count: Int) -> Message {
        let limit = AppIDConsequences.countLimit
        return count > limit
            ? Message("console.transfers.more-people", count: limit) : Message("console.transfers.people", count: count)
    }

    /// A Service ID that is transferred with the App ID.
    struct Service: Sendable {
        let service: TransferredRegistration.Service

        static let fields = Fields<Service> {
            $0.text("identifier") { $0.service.identifier }
            $0.text("description") { $0.service.description }
            $0.list("domains", Fields<String> { $0.text("text") { $0 } }) { $0.service.domains }
            $0.list("returnURLs", Fields<String> { $0.text("text") { $0 } }) { $0.service.returnURLs }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let transfer: AppTransfer
    private let danger: DangerView

    /// - Parameters:
    ///   - confirmation: the submitted confirmation; nil for an empty form.
    init(
        _ transfer: AppTransfer, _ context: TeamContext, _ confirmation: Confirmation? = nil,
        _ problems: FormProblems = .none
    ) {
        frame = context.frame(Message("console.transfers.acceptance"))
        team = context.teamID
        self.transfer = transfer
        danger = (confirmation ?? Confirmation(expecting: transfer.appID.rawValue)).view(
            action: TransferPages.acceptance.link(context.teamID, transfer.id),
            summary: Message("console.transfers.acceptance.summary"),
            consequences: [
                Message("console.transfers.acceptance.urls"), Message("console.transfers.acceptance.people"),
            ], button: Message("console.transfers.accept"), problems)
    }
}
