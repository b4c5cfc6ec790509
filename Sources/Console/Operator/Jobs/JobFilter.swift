import Bytes
import Domain
import HTTP
import Jobs
import Localization
import Web

/// Filters of the job list, from the query of its URL.
struct JobFilter: Sendable {
    private static let longestKind = 100

    let filter: JobListStore.Filter
    /// Whether the team entered is not a valid Team ID, so that no job matches.
    let isImpossible: Bool

    init(_ query: Form) {
        func value(_ name: String) -> String? {
            let text = (query[name] ?? "").withoutNUL.withoutWhiteSpace
            return text.isEmpty ? nil : text.cut(toOctets: Self.longestKind)
        }
        let team = value("team").map { TeamID(rawValue: $0.uppercased()) }
        filter = JobListStore.Filter(
            kind: value("kind"), state: value("state").flatMap(JobSummary.State.init), team: team ?? nil)
        isImpossible = team == .some(nil)
        typedTeam = value("team")
    }

    private let typedTeam: String?

    /// Set filters by the name of their query parameter, for links to other pages of the list.
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
            "kind", label: Message("console.operator.jobs.kind"), value: filter.kind ?? "", autocomplete: "off",
            isRequired: false, isCode: true)
    }

    var teamField: FieldView {
        FieldView(
            "team", label: Message("console.operator.jobs.team"), value: typedTeam ?? "", autocomplete: "off",
            isRequired: false, isCode: true)
    }

    var stateField: SelectView {
        let any = SelectView.Option("", Message("console.operator.jobs.state.any"), isSelected: filter.state == nil)
        let states = JobSummary.State.allCases.map { state in
            SelectView.Option(state.rawValue, state.words, isSelected: filter.state == state)
        }
        return SelectView("state", label: Message("console.operator.jobs.state"), options: [any] + states)
    }

    private static func words(for name: String) -> Message {
        switch name {
        case "state": Message("console.operator.jobs.state")
        case "kind": Message("console.operator.jobs.kind")
        default: Message("console.operator.jobs.team")
        }
    }
}
