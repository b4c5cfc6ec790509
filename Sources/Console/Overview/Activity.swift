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

    let report: DailyReport
    let team: TeamID

    private var charts: [BarChart] {
        [
            BarChart(
                "sign-ins", Message("console.activity.sign-ins"),
                at: "\(ConsoleRoutes.traces.link(team))?outcome=answered&test=no", days: report.days,
                counts: report.signIns),
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
            $0.words("count") { $0.count }
            $0.integer("width") { max(1, 100 * $0.count / max(1, $0.most)) }
        }
    }

    private var causes: [Cause] {
        let most = report.causes.first?.count ?? 0
        return report.causes.prefix(Self.causeLimit).map { entry in
            Cause(cause: entry.cause, count: entry.count, most: most, team: team)
        }
    }

    static let fields = Fields<Activity> {
        $0.list("charts", BarChart.fields) { $0.charts }
        $0.list("causes", Cause.fields) { $0.causes }
        $0.integer("failures") { $0.report.failures.reduce(0, +) }
        $0.text("failuresURL") { "\(ConsoleRoutes.traces.link($0.team))?outcome=failed" }
    }
}
