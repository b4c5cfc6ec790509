import Bytes
import Domain
import HTTP
import Localization
import Notifications
import Templates
import Web

/// Filters of the delivery log, from the query of its URL.
struct NotificationSearch: Sendable {
    let state: NotificationState?
    let type: NotificationType?
    let subject: Subject?

    /// Ignores unknown parameters and invalid values.
    init(_ query: Form) {
        state = query["state"].flatMap(NotificationState.init)
        type = query["type"].flatMap(NotificationType.init)
        subject = query["q"].flatMap { Subject(rawValue: $0.trimmed) }
    }

    var filter: NotificationFilter { NotificationFilter(state: state, type: type, subject: subject) }

    var isEmpty: Bool { parameters.isEmpty }

    /// Set filters by the name of their query parameter.
    var parameters: [(name: String, value: String)] {
        [("q", subject?.rawValue), ("state", state?.rawValue), ("type", type?.rawValue)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Set filters, each with the URL of the list without it.
    func chips(in team: TeamID) -> [ChipView] {
        parameters.map { parameter in
            let rest = parameters.filter { $0.name != parameter.name }
            let query = FormCoding.encode(rest)
            let url = NotificationRoutes.notifications.link(team) + (query.isEmpty ? "" : "?\(query)")
            return ChipView(Self.label(of: parameter.name), shown(parameter), removeURL: url)
        }
    }

    private static func label(of name: String) -> Message {
        switch name {
        case "state": Message("console.notifications.state")
        case "type": Message("console.notifications.type")
        default: Message("console.notifications.about")
        }
    }

    private func shown(_ parameter: (name: String, value: String)) -> any LocalizedTextConvertible {
        parameter.name == "state" ? state?.words ?? parameter.value : parameter.value
    }

    var stateSelect: SelectView {
        let known = NotificationState.allCases.map { SelectView.Option($0.rawValue, $0.words, isSelected: $0 == state) }
        let any = SelectView.Option("", Message("console.notifications.any-state"), isSelected: state == nil)
        return SelectView("state", label: Message("console.notifications.state"), options: [any] + known)
    }

    var typeSelect: SelectView {
        let known = NotificationType.allCases.map {
            SelectView.Option($0.rawValue, $0.rawValue, isSelected: $0 == type)
        }
        let any = SelectView.Option("", Message("console.notifications.any-type"), isSelected: type == nil)
        return SelectView("type", label: Message("console.notifications.type"), options: [any] + known)
    }
}
