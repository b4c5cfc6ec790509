import Bytes
import Domain
import HTTP
import Jobs
import Web

/// What the list of jobs is narrowed to, as its address says it.
struct JobFilter: Sendable {
    private static let longestKind = 100

    let filter: JobListStore.Filter
    /// What was typed for a team and is no Team ID: then nothing matches.
    let isImpossible: Bool

    init(_ query: Form) {
        func value(_ name: String) -> String? {
            let text = (query[name] ?? "").withoutNUL.withoutWhiteSpace
            return text.isEmpty ? nil : text.cut(toOctets: Self.longestKind)
        }
        let team = value("team").map { TeamID(rawValue: $0.uppercased()) }
        filter = JobListStore.Filter(
            kind: value("kind"),
            state: value("state").flatMap(JobSummary.State.init),
            team: team ?? nil
        )
        isImpossible = team == .some(nil)
        typedTeam = value("team")
    }

    private let typedTeam: String?

    /// As links to further pages keep it.
    var parameters: [(name: String, value: String)] {
        let all = [("state", filter.state?.rawValue), ("kind", filter.kind), ("team", typedTeam)]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    var chips: [ChipView] {
        parameters.map { parameter in
            let rest = parameters.filter { $0.name != parameter.name }
            let query = rest.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
            let url = OperatorRoutes.jobs.link() + (query.isEmpty ? "" : "?" + query)
            return ChipView(Self.words(for: parameter.name), parameter.value, removeURL: url)
        }
    }

    var kindField: FieldView {
        FieldView(
            "kind",
            label: Phrase("console.operator.jobs.kind"),
            value: filter.kind ?? "",
            autocomplete: "off",
            isRequired: false,
            isCode: true
        )
    }

    var teamField: FieldView {
        FieldView(
            "team",
            label: Phrase("console.operator.jobs.team"),
            value: typedTeam ?? "",
            autocomplete: "off",
            isRequired: false,
            isCode: true
        )
    }

    var stateField: SelectView {
        let any = SelectView.Option(
            "",
            Phrase("console.operator.jobs.state.any"),
            isSelected: filter.state == nil
        )
        let states = JobSummary.State.allCases.map { state in
            SelectView.Option(state.rawValue, state.words, isSelected: filter.state == state)
        }
        return SelectView("state", label: Phrase("console.operator.jobs.state"), options: [any] + states)
    }

    private static func words(for name: String) -> Phrase {
        switch name {
        case "state": Phrase("console.operator.jobs.state")
        case "kind": Phrase("console.operator.jobs.kind")
        default: Phrase("console.operator.jobs.team")
        }
    }
}
