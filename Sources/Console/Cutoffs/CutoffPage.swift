import AuthEngine
import Bytes
import Domain
import Templates
import Web

/// The cut-offs that stand, and the form of another.
struct CutoffPage: ConsolePage {
    static let template = "console/cutoffs/index"
    static let fields =
        frameFields
        .text("keysURL") { $0.keysURL }
        .list("rows", CutoffRow.fields) { $0.records.map { CutoffRow(record: $0) } }
        .optionalGroup("danger", DangerView.fields) { $0.danger }
        .group("client", SelectView.fields) { $0.clientSelect }

    let frame: ConsoleFrame
    let keysURL: String
    let records: [TokenCutoffRecord]
    /// Absent for those who may not.
    let danger: DangerView?
    let clients: [ClientID]
    let client: String

    private var clientSelect: SelectView {
        let everyone = SelectView.Option(
            "",
            Phrase("console.cutoffs.whole-team"),
            isSelected: client.isEmpty
        )
        return SelectView(
            "client",
            label: Phrase("console.cutoffs.whose"),
            options: [everyone]
                + clients.map {
                    SelectView.Option($0.rawValue, $0.rawValue, isSelected: $0.rawValue == client)
                }
        )
    }
}

/// One cut-off.
struct CutoffRow: Sendable {
    let record: TokenCutoffRecord

    static let fields = Fields<CutoffRow>()
        .words("whose") { $0.whose }
        .group("time", TimeView.fields) { TimeView($0.record.notBefore) }

    private var whose: Words {
        switch record.cutoff {
        case .team: Phrase("console.cutoffs.whole-team").asWords
        case .client(let id): .verbatim(id.rawValue)
        }
    }
}
