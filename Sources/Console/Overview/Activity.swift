import AuthEngine
import Bytes
import Domain
import HTTP
import Templates

/// What happened in the last days: charts, and the failures by their causes.
struct Activity: Sendable {
    static let days = 30
    private static let causeLimit = 6

    let report: DailyReport
    let team: TeamID

    private var charts: [BarChart] {
        [
            BarChart(
                "sign-ins",
                Phrase("console.activity.sign-ins"),
                at: "\(ConsoleRoutes.flows.link(team))?outcome=answered&trial=no",
                days: report.days,
                counts: report.signIns
            ),
            BarChart(
                "new-users",
                Phrase("console.activity.new-users"),
                days: report.days,
                counts: report.newUsers
            ),
        ]
    }

    /// How often something was wrong, as a bar beside its name.
    private struct Cause: Sendable {
        let cause: RefusalCause
        let count: Int
        let most: Int
        let team: TeamID

        static let fields = Fields<Cause>()
            .words("title") { Phrase(in: "console.causes", $0.cause.rawValue) }
            .text("url") { "\(ConsoleRoutes.flows.link($0.team))?cause=\($0.cause.rawValue)" }
            .words("count") { $0.count }
            .integer("width") { max(1, 100 * $0.count / max(1, $0.most)) }
    }

    private var causes: [Cause] {
        let most = report.causes.first?.count ?? 0
        return report.causes.prefix(Self.causeLimit).map { entry in
            Cause(cause: entry.cause, count: entry.count, most: most, team: team)
        }
    }

    static let fields = Fields<Activity>()
        .list("charts", BarChart.fields) { $0.charts }
        .list("causes", Cause.fields) { $0.causes }
        .integer("failures") { $0.report.failures.reduce(0, +) }
        .text("failuresURL") { "\(ConsoleRoutes.flows.link($0.team))?outcome=failed" }
}
