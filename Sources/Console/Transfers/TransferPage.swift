import Accounts
import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Transfers of App IDs to and from other teams, with the form that offers one.
struct TransferPage: ConsolePage {
    static let template = "console/transfers/index"
    static let fields = frameFields.with {
        $0.rows("transfers") { $0.transfers }
        $0.optionalGroup("offer", FormView.fields) { $0.offer }
    }

    let frame: ConsoleFrame
    let transfers: [ListRow]
    /// Nil if the team has no primary App ID, or if the account may not offer one.
    let offer: FormView?
}

/// Form of an offer as entered.
struct TransferForm: Sendable {
    var appID: String
    let target: String
    var problem: Message?

    init() { (appID, target) = ("", "") }

    init(_ form: Form) {
        appID = form["appID"] ?? ""
        target = form["target"] ?? ""
    }

    func inputs(of primaries: [AppID]) -> [InputView] {
        [
            .appIDs(
                primaries, chosen: appID, label: Message("console.transfers.app-id"),
                hint: Message("console.transfers.app-id.hint")),
            .field(
                FieldView(
                    "target", label: Message("console.transfers.target"), value: target, autocomplete: "off",
                    hint: Message("console.transfers.target.hint"), error: problem, isCode: true)),
        ]
    }
}

extension AppTransfer {
    /// The transfer in the list of a team, which is its source or its target.
    func row(in team: TeamID, mayChange: Bool) -> ListRow {
        let (isIncoming, mayAnswer) = (target == team, mayChange && state == .offered)
        let services = registration.services.map(\.identifier)
        let direction =
            isIncoming
            ? Message("console.transfers.from", ["team": source.rawValue])
            : Message("console.transfers.to", ["team": target.rawValue])
        let answers: [RowPart] =
            isIncoming
            ? [
                .link(
                    Message("console.transfers.review"), TransferPages.acceptance.link(team, id), for: appID.rawValue),
                .button(Message("console.transfers.decline"), TransferPages.refusal.link(team, id)),
            ] : [.button(Message("console.transfers.withdraw"), TransferPages.withdrawal.link(team, id))]
        return ListRow(
            appID.rawValue,
            notes: [
                .text(direction), .text(Message("console.transfers.offered"), offeredAt),
                closesAt.map { .text(Message("console.transfers.closes"), $0) },
                services.isEmpty ? nil : .text(Message("console.transfers.service-ids", ["identifiers": services])),
            ], end: [.badge(badge)] + (mayAnswer ? answers : []))
    }

    private var badge: BadgeView {
        switch state {
        case .offered: BadgeView(.warn, Message("console.transfers.state.offered"))
        case .accepted: BadgeView(.good, Message("console.transfers.state.accepted"))
        case .declined: BadgeView(.plain, Message("console.transfers.state.declined"))
        case .withdrawn: BadgeView(.plain, Message("console.transfers.state.withdrawn"))
        case .expired: BadgeView(.plain, Message("console.transfers.state.expired"))
        }
    }
}

extension TransferRefusal {
    var words: Message {
        switch self {
        case .unknownApp: Message("console.transfers.refusal.unknown-app")
        case .grouped: Message("console.transfers.refusal.grouped")
        case .unknownTeam: Message("console.transfers.refusal.unknown-team")
        case .notAllowed: Message("shared.problems.forbidden.headline")
        case .ownTeam: Message("console.transfers.refusal.own-team")
        case .underWay: Message("console.transfers.refusal.under-way")
        case .tooMany: Message("console.transfers.refusal.too-many")
        case .tooManyToday: Message("console.transfers.refusal.too-many-today")
        case .tooManyTaken: Message("console.transfers.refusal.too-many-taken")
        }
    }
}

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
        $0.words("people") { Self.users($0.transfer.registration.people) }
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

    /// - Parameter confirmation: the submitted confirmation; nil for an empty form.
    init(_ transfer: AppTransfer, _ context: TeamContext, _ confirmation: Confirmation? = nil) {
        frame = context.frame(Message("console.transfers.acceptance"))
        team = context.teamID
        self.transfer = transfer
        danger = (confirmation ?? Confirmation(expecting: transfer.appID.rawValue)).view(
            action: TransferPages.acceptance.link(context.teamID, transfer.id),
            summary: Message("console.transfers.acceptance.summary"),
            consequences: [
                Message("console.transfers.acceptance.urls"), Message("console.transfers.acceptance.people"),
            ], button: Message("console.transfers.accept"))
    }
}
