import Accounts
import Core
import HTTP
import OAuth
import Platform
import Templates

/// Activity of a team in the last 30 days: charts, and failures by cause.
struct Activity: Sendable {
    static let days = 30
    private static let causeLimit = 6
    /// Number of causes that are counted: the most frequent ones of the daily counts.
    private static let countedCauses = 12

    private let report: DailyReport
    private let team: TeamID
    private let failures: Int
    /// Causes with the number of sign-ins that each one's list has, most frequent first.
    private let causes: [Cause]

    /// Counts what the lists have that the page links to, which a failure that was overcome is not in any more.
    init(_ report: DailyReport, in team: TeamID, _ traces: TraceListStore, at now: Timestamp) async throws {
        let known = report.causes.prefix(Self.countedCauses).map(\.cause)
        var failed = TraceFilter()
        failed.outcome = .failed
        let ofCauses = known.map { cause in
            var filter = TraceFilter()
            filter.cause = cause
            return filter
        }
        let totals = try await traces.totals(in: team, matching: [failed] + ofCauses, at: now)
        (self.report, self.team, failures) = (report, team, totals.first ?? 0)
        let most = totals.dropFirst().max() ?? 0
        causes = zip(known, totals.dropFirst()).filter { $1 > 0 }.sorted { $0.1 > $1.1 }.map { cause, count in
            Cause(cause: cause, count: count, most: most, team: team)
        }
    }

    private var charts: [BarChart] {
        [
            BarChart("sign-ins", Message("console.activity.sign-ins"), days: report.days, counts: report.signIns),
            BarChart("new-users", Message("console.activity.new-users"), days: report.days, counts: report.newUsers),
        ]
    }

    /// A cause of failures with its count, drawn as a bar.
    private struct Cause: Sendable {
        let cause: RefusalCause
        let count: Int
        let most: Int
        let team: TeamID

        static let fields = Fields<Cause> {
            $0.words("title") { Message(in: "console.causes", $0.cause.rawValue) }
            $0.text("url") { "\(ConsoleRoutes.traces.link($0.team))?cause=\($0.cause.rawValue)" }
            $0.words("count") { Activity.words($0.count) }
            $0.integer("width") { max(1, 100 * $0.count / max(1, $0.most)) }
        }
    }

    /// A total as the list of the counted items has it.
    private static func words(_ total: Int) -> LocalizedText {
        let limit = Page<SignInTrace>.countLimit
        return total > limit ? .message(Message("console.overview.more-than", ["number": limit])) : .number(total)
    }

    static let fields = Fields<Activity> {
        $0.list("charts", BarChart.fields) { $0.charts }
        $0.list("causes", Cause.fields) { Array($0.causes.prefix(causeLimit)) }
        $0.optionalWords("otherCauses") { activity in
            let others = activity.causes.count - causeLimit
            return others > 0 ? Message("console.activity.causes.others", count: others) : nil
        }
        $0.optionalWords("failures") { $0.failures == 0 ? nil : words($0.failures) }
        $0.text("failuresURL") { "\(ConsoleRoutes.traces.link($0.team))?outcome=failed" }
    }
}
