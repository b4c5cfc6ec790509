import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// What is on its way to other teams and from them, and the form of an offer.
struct TransferPage: ConsolePage {
    static let template = "console/transfers/index"
    static let fields =
        frameFields
        .text("action") { TransferPages.transfers.link($0.team) }
        .list("rows", TransferRow.fields) { page in
            page.transfers.map { TransferRow(transfer: $0, team: page.team, mayChange: page.mayChange) }
        }
        .optionalGroup("offer", Offer.fields) { page in
            page.form.map { Offer(form: $0, primaries: page.primaries) }
        }

    struct Offer: Sendable {
        let form: TransferForm
        let primaries: [AppID]

        static let fields = Fields<Offer>()
            .group("appID", SelectView.fields) { $0.form.select(of: $0.primaries) }
            .group("target", FieldView.fields) { $0.form.targetField }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let transfers: [AppTransfer]
    let mayChange: Bool
    /// Absent where there is nothing to offer, or for those who may not.
    let form: TransferForm?
    let primaries: [AppID]
}

/// What was typed of an offer.
struct TransferForm: Sendable {
    var appID: String
    let target: String
    var problem: Phrase?

    init() {
        (appID, target) = ("", "")
    }

    init(_ form: Form) {
        appID = form["appID"] ?? ""
        target = form["target"] ?? ""
    }

    func select(of primaries: [AppID]) -> SelectView {
        SelectView(
            "appID",
            label: Phrase("console.transfers.app-id"),
            hint: Phrase("console.transfers.app-id.hint"),
            options: primaries.map { app in
                SelectView.Option(
                    app.identifier.rawValue,
                    "\(app.description) (\(app.identifier))",
                    isSelected: app.identifier.rawValue == appID
                )
            }
        )
    }

    var targetField: FieldView {
        FieldView(
            "target",
            label: Phrase("console.transfers.target"),
            value: target,
            autocomplete: "off",
            hint: Phrase("console.transfers.target.hint"),
            error: problem,
            isCode: true
        )
    }
}

/// One transfer.
struct TransferRow: Sendable {
    let transfer: AppTransfer
    let team: TeamID
    let mayChange: Bool

    private var isIncoming: Bool { transfer.target == team }
    private var mayAnswer: Bool { mayChange && transfer.state == .offered }

    static let fields = Fields<TransferRow>()
        .text("appID") { $0.transfer.appID.rawValue }
        .words("direction") { $0.direction }
        .group("state", BadgeView.fields) { $0.badge }
        .group("offered", TimeView.fields) { TimeView($0.transfer.offeredAt) }
        .optionalGroup("closes", TimeView.fields) { $0.transfer.closesAt.map(TimeView.init) }
        .list("serviceIDs", Fields<String>().text("identifier") { $0 }) {
            $0.transfer.registration.services.map(\.identifier)
        }
        .optionalText("acceptURL") { $0.acceptURL }
        .optionalText("declineURL") { $0.declineURL }
        .optionalText("withdrawURL") { $0.withdrawURL }

    private var acceptURL: String? {
        isIncoming && mayAnswer ? TransferPages.acceptance.link(team, transfer.id) : nil
    }

    private var declineURL: String? {
        isIncoming && mayAnswer ? TransferPages.refusal.link(team, transfer.id) : nil
    }

    private var withdrawURL: String? {
        !isIncoming && mayAnswer ? TransferPages.withdrawal.link(team, transfer.id) : nil
    }

    private var direction: Phrase {
        isIncoming
            ? Phrase("console.transfers.from", ["team": transfer.source.rawValue])
            : Phrase("console.transfers.to", ["team": transfer.target.rawValue])
    }

    private var badge: BadgeView {
        switch transfer.state {
        case .offered: BadgeView(.warn, Phrase("console.transfers.state.offered"))
        case .accepted: BadgeView(.good, Phrase("console.transfers.state.accepted"))
        case .declined: BadgeView(.plain, Phrase("console.transfers.state.declined"))
        case .withdrawn: BadgeView(.plain, Phrase("console.transfers.state.withdrawn"))
        case .expired: BadgeView(.plain, Phrase("console.transfers.state.expired"))
        }
    }
}

extension TransferRefusal {
    var words: Phrase {
        switch self {
        case .unknownApp: Phrase("console.transfers.refusal.unknown-app")
        case .grouped: Phrase("console.transfers.refusal.grouped")
        case .unknownTeam: Phrase("console.transfers.refusal.unknown-team")
        case .notAllowed: Phrase("shared.problems.forbidden.headline")
        case .ownTeam: Phrase("console.transfers.refusal.own-team")
        case .underWay: Phrase("console.transfers.refusal.under-way")
        case .tooMany: Phrase("console.transfers.refusal.too-many")
        case .tooManyToday: Phrase("console.transfers.refusal.too-many-today")
        case .tooManyTaken: Phrase("console.transfers.refusal.too-many-taken")
        }
    }
}
