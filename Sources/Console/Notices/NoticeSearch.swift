import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// What is looked for in the delivery log, as its address says it.
struct NoticeSearch: Sendable {
    let state: NoticeState?
    let type: NoticeType?
    let subject: Subject?

    /// What is no filter, or none that is known, is ignored.
    init(_ query: Form) {
        state = query["state"].flatMap(NoticeState.init)
        type = query["type"].flatMap(NoticeType.init)
        subject = query["q"].flatMap { Subject(rawValue: $0.trimmed) }
    }

    var filter: NoticeFilter { NoticeFilter(state: state, type: type, subject: subject) }

    var isEmpty: Bool { parameters.isEmpty }

    /// The filters by the names the address has for them.
    var parameters: [(name: String, value: String)] {
        [("q", subject?.rawValue), ("state", state?.rawValue), ("type", type?.rawValue)]
            .compactMap { name, value in value.map { (name, $0) } }
    }

    /// The filters in force, each with the list without it.
    func chips(in team: TeamID) -> [ChipView] {
        parameters.map { parameter in
            let rest = parameters.filter { $0.name != parameter.name }
            let query = FormCoding.encode(rest)
            let url = NoticeRoutes.notices.link(team) + (query.isEmpty ? "" : "?\(query)")
            return ChipView(Self.label(of: parameter.name), shown(parameter), removeURL: url)
        }
    }

    private static func label(of name: String) -> Phrase {
        switch name {
        case "state": Phrase("console.notices.state")
        case "type": Phrase("console.notices.type")
        default: Phrase("console.notices.about")
        }
    }

    private func shown(_ parameter: (name: String, value: String)) -> any Wording {
        parameter.name == "state" ? state?.words ?? parameter.value : parameter.value
    }

    var stateSelect: SelectView {
        let known = NoticeState.allCases.map {
            SelectView.Option($0.rawValue, $0.words, isSelected: $0 == state)
        }
        let any = SelectView.Option("", Phrase("console.notices.any-state"), isSelected: state == nil)
        return SelectView("state", label: Phrase("console.notices.state"), options: [any] + known)
    }

    var typeSelect: SelectView {
        let known = NoticeType.allCases.map {
            SelectView.Option($0.rawValue, $0.rawValue, isSelected: $0 == type)
        }
        let any = SelectView.Option("", Phrase("console.notices.any-type"), isSelected: type == nil)
        return SelectView("type", label: Phrase("console.notices.type"), options: [any] + known)
    }
}
