import AuthEngine
import Bytes
import Domain
import HTTP
import Web

/// Which flows are asked for: the filters and the page in the list's address.
///
/// A filter that makes no sense is none: the list shows what it would without it.
struct FlowAddress: Sendable {
    /// What somebody has in hand: the reference of an error page, or a flow's id.
    let reference: String?
    let filter: FlowFilter
    private let path: String
    /// The filters as the address names them, in the order they are shown.
    private let parameters: [(name: String, value: String)]
    private let trail: PageTrail

    /// - Throws: `Problem` when the query cannot be read.
    init(_ request: Request, in team: TeamID) throws(Problem) {
        let query = try request.parameters()
        path = ConsoleRoutes.flows.link(team)
        var filter = FlowFilter()
        var parameters: [(name: String, value: String)] = []
        func keep<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
            guard let text = query[name]?.trimmed, let value = read(text) else { return nil }
            parameters.append((name, text))
            return value
        }
        filter.client = keep("app", ClientID.init(rawValue:))
        filter.outcome = keep("outcome", FlowOutcome.init(rawValue:))
        filter.cause = keep("cause", RefusalCause.init(rawValue:))
        filter.subject = keep("person", Subject.init(rawValue:))
        filter.from = keep("from", CalendarDay.start)
        filter.until = keep("to", CalendarDay.start).map { $0 + .seconds(86_400) }
        // Trials alone are too few for a list of millions to be walked for them.
        filter.leavesOutTrials = keep("trial") { $0 == "no" ? true : nil } ?? false
        self.filter = filter
        self.parameters = parameters
        reference = query["reference"].map { $0.trimmed.lowercased() }.flatMap { text in
            text.isEmpty || text.utf8.count > 64 || text.utf8.contains(0) ? nil : text
        }
        trail = try PageTrail(path, query, filter: parameters)
    }

    var cursor: FlowID? { trail.current.flatMap { FlowID(rawValue: $0.id) } }

    /// Where the list is without any filter.
    var clearURL: String { path }

    /// The value of a filter as it was chosen; empty for none.
    func chosen(_ name: String) -> String {
        parameters.first { $0.name == name }?.value ?? ""
    }

    var isFiltered: Bool { !parameters.isEmpty }

    /// The filters in force.
    func chips(_ team: TeamSnapshot?) -> [ChipView] {
        parameters.map { parameter in
            let rest = parameters.filter { $0.name != parameter.name }
            let query = rest.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
            return ChipView(
                Phrase(in: "console.flows.filter", parameter.name),
                Self.words(parameter.name, parameter.value),
                removeURL: query.isEmpty ? path : "\(path)?\(query)"
            )
        }
    }

    private static func words(_ name: String, _ value: String) -> any Wording {
        switch name {
        case "outcome": Phrase(in: "console.flows.outcome", value)
        case "cause": Phrase(in: "console.causes", value)
        case "trial": Phrase("console.flows.filter.trial.no")
        default: value
        }
    }

    /// The foot of the list.
    func paging(_ page: FlowPage) -> PagingView {
        let limit = FlowListStore.countLimit
        let summary =
            page.total > limit
            ? Phrase("console.flows.found-more", count: limit)
            : Phrase("console.flows.found", count: page.total)
        return trail.paging(
            summary,
            next: page.next.map { PageTrail.Cursor(at: $0.startedAt, id: $0.rawValue) }
        )
    }
}

/// A day as forms of browsers write it: `2026-11-20`.
enum CalendarDay {
    /// Its first moment in UTC; nil for what is no day.
    static func start(_ text: String) -> Timestamp? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1970...9999).contains(year), (1...12).contains(month),
            (1...31).contains(day)
        else { return nil }
        // The other way round is known: days are counted up to the one that is written like this.
        let leapDays = { (year: Int) in year / 4 - year / 100 + year / 400 }
        let estimate =
            (year - 1970) * 365 + leapDays(year - 1) - leapDays(1969) + (month - 1) * 30 + day - 4
        for number in estimate...estimate + 16 {
            let moment = Timestamp(seconds: number * 86_400)
            if moment.description.hasPrefix(text) { return moment }
        }
        return nil
    }
}
