import Bytes
import Domain
import Localization
import OAuth
import Templates
import Web

/// Not-before times of a team, with the form that sets one.
struct NotBeforePage: ConsolePage {
    static let template = "console/not-before/index"
    static let fields = frameFields.with {
        $0.text("keysURL") { $0.keysURL }
        $0.list("rows", NotBeforeRow.fields) { $0.records.map { NotBeforeRow(record: $0) } }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
        $0.group("client", SelectView.fields) { $0.clientSelect }
    }

    let frame: ConsoleFrame
    let keysURL: String
    let records: [NotBefore]
    /// Nil if the account may not set one.
    let danger: DangerView?
    let clients: [ClientID]
    let client: String

    private var clientSelect: SelectView {
        let everyone = SelectView.Option("", Message("console.not-before.whole-team"), isSelected: client.isEmpty)
        return SelectView(
            "client", label: Message("console.not-before.whose"),
            options: [everyone]
                + clients.map { SelectView.Option($0.rawValue, $0.rawValue, isSelected: $0.rawValue == client) })
    }
}

/// A not-before time in the list.
struct NotBeforeRow: Sendable {
    let record: NotBefore

    static let fields = Fields<NotBeforeRow> {
        $0.words("whose") { $0.whose }
        $0.group("time", TimeView.fields) { TimeView($0.record.moment) }
    }

    private var whose: LocalizedText {
        switch record.scope {
        case .team: Message("console.not-before.whole-team").localizedText
        case .client(let id): .verbatim(id.rawValue)
        }
    }
}
