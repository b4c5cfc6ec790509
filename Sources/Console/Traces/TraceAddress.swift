import Bytes
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Web

/// Filters and page of the list of sign-in traces, from the query of its URL.
///
/// Invalid filters are ignored.
struct TraceAddress: Sendable {
    /// Reference to search for: the one shown on an error page, or the id of a sign-in trace.
    let reference: String?
    let filter: TraceFilter
    private let path: String
    /// Set filters by the name of their query parameter, in display order.
    private let parameters: [(name: String, value: String)]
    private let trail: PageHistory

    /// - Throws: `UserFacingError` for a malformed query.
    init(_ request: Request, in team: TeamID) throws(UserFacingError) {
        let query = try request.parameters()
        path = ConsoleRoutes.traces.link(team)
        var filter = TraceFilter()
        var parameters: [(name: String, value: String)] = []
        func keep<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
            guard let text = query[name]?.trimmed, let value = read(text) else { return nil }
            parameters.append((name, text))
            return value
        }
        filter.client = keep("app", ClientID.init(rawValue:))
        filter.outcome = keep("outcome", TraceOutcome.init(rawValue:))
        filter.cause = keep("cause", RefusalCause.init(rawValue:))
        filter.subject = keep("person", Subject.init(rawValue:))
        filter.from = keep("from", CalendarDay.start)
        filter.until = keep("to", CalendarDay.start).map { $0 + .seconds(86_400) }
        // No filter selects test sign-ins only: they are too rare to scan a list of millions for them.
        filter.leavesOutTests = keep("trial") { $0 == "no" ? true : nil } ?? false
        self.filter = filter
        self.parameters = parameters
        reference = query["reference"].map { $0.trimmed.lowercased() }.flatMap { text in
            text.isEmpty || text.utf8.count > 64 || text.utf8.contains(0) ? nil : text
        }
        trail = try PageHistory(path, query, filter: parameters)
    }

    var cursor: TraceID? { trail.current.flatMap { TraceID(rawValue: $0.id) } }

    /// URL of the list without filters.
    var clearURL: String { path }

    /// Value of a filter as entered; empty if it is not set.
    func chosen(_ name: String) -> String { parameters.first { $0.name == name }?.value ?? "" }

    var isFiltered: Bool { !parameters.isEmpty }

    /// Set filters, each with the URL of the list without it.
    func chips(_ team: TeamSnapshot?) -> [ChipView] {
        parameters.map { parameter in
            let rest = parameters.filter { $0.name != parameter.name }
            let query = rest.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
            return ChipView(
                Message(in: "console.traces.filter", parameter.name), Self.words(parameter.name, parameter.value),
                removeURL: query.isEmpty ? path : "\(path)?\(query)")
        }
    }

    private static func words(_ name: String, _ value: String) -> any LocalizedTextConvertible {
        switch name {
        case "outcome": Message(in: "console.traces.outcome", value)
        case "cause": Message(in: "console.causes", value)
        case "trial": Message("console.traces.filter.trial.no")
        default: value
        }
    }

    /// Number of results and links to other pages.
    func paging(_ page: TracePage) -> PagingView {
        let limit = TraceListStore.countLimit
        let summary =
            page.total > limit
            ? Message("console.traces.found-more", count: limit) : Message("console.traces.found", count: page.total)
        return trail.paging(summary, next: page.next.map { PageHistory.Cursor(at: $0.startedAt, id: $0.rawValue) })
    }
}

/// A day in the format of HTML date fields: `2026-11-20`.
enum CalendarDay {
    /// Start of the day in UTC; nil for an invalid date.
    static func start(_ text: String) -> Timestamp? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // Only formatting is available, so days are tried from an estimate until one is formatted like the text.
        let leapDays = { (year: Int) in year / 4 - year / 100 + year / 400 }
        let estimate = (year - 1970) * 365 + leapDays(year - 1) - leapDays(1969) + (month - 1) * 30 + day - 4
        for number in estimate...estimate + 16 {
            let moment = Timestamp(seconds: number * 86_400)
            if moment.description.hasPrefix(text) { return moment }
        }
        return nil
    }
}
