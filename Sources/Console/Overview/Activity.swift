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

/// Bar chart of counts per day, rendered by the server, with the same numbers in a table below it.
///
/// Sizes are in units of the drawing, which the page scales.
struct BarChart: Sendable {
    private static let plot = (left: 40, right: 360, top: 8, bottom: 120)

    let name: String
    let title: Message
    /// URL of the list of the counted items; nil without such a list.
    let url: String?
    private let days: [Timestamp]
    private let counts: [Int]
    /// Value at the top of the scale.
    private let scale: Int

    init(_ name: String, _ title: Message, at url: String? = nil, days: [Timestamp], counts: [Int]) {
        self.name = name
        self.title = title
        self.url = url
        self.days = days
        self.counts = counts
        scale = Self.scale(above: counts.max() ?? 0)
    }

    /// The least of 2, 4, 10, 20, 40, 100 … that is not below `count`; even, so that half of it is a whole number.
    private static func scale(above count: Int) -> Int {
        var unit = 1
        while true {
            for step in [2, 4, 10] where unit * step >= count { return unit * step }
            unit *= 10
        }
    }

    /// Bar of one day.
    private struct Bar: Sendable {
        let x: Int
        let y: Int
        let width: Int
        let height: Int
        let day: LocalizedText
        let count: Int

        static let fields = Fields<Bar> {
            $0.integer("x") { $0.x }
            $0.integer("y") { $0.y }
            $0.integer("width") { $0.width }
            $0.integer("height") { $0.height }
            $0.words("day") { $0.day }
            $0.words("count") { $0.count }
        }
    }

    private var bars: [Bar] {
        let (left, right, bottom) = (Self.plot.left, Self.plot.right, Self.plot.bottom)
        let step = Double(right - left) / Double(max(1, counts.count))
        return zip(days, counts).enumerated().map { index, pair in
            let height = pair.1 == 0 ? 0 : max(2, (bottom - Self.plot.top) * pair.1 / scale)
            let (start, end) = (Int(Double(index) * step), Int(Double(index + 1) * step))
            return Bar(
                x: left + start + 1, y: bottom - height, width: max(2, end - start - 3), height: height,
                day: .day(pair.0), count: pair.1)
        }
    }

    /// Horizontal grid line with its value.
    private struct Line: Sendable {
        let y: Int
        let value: Int

        static let fields = Fields<Line> {
            $0.integer("y") { $0.y }
            $0.integer("labelY") { $0.y + 4 }
            $0.words("value") { $0.value }
        }
    }

    private var lines: [Line] {
        let height = Self.plot.bottom - Self.plot.top
        return [0, scale / 2, scale].map { Line(y: Self.plot.bottom - height * $0 / scale, value: $0) }
    }

    private var total: Int { counts.reduce(0, +) }

    static let fields = Fields<BarChart> {
        $0.text("name") { $0.name }
        $0.words("title") { $0.title }
        $0.optionalText("url") { $0.url }
        $0.words("total") { $0.total }
        $0.flag("empty") { $0.total == 0 }
        $0.optionalWords("first") { $0.days.first.map { LocalizedText.day($0) } }
        $0.optionalWords("last") { $0.days.last.map { LocalizedText.day($0) } }
        $0.list("bars", Bar.fields) { $0.bars }
        $0.list("lines", Line.fields) { $0.lines }
    }
}

/// Setup steps to a working sign-in, with the progress of a team.
struct Checklist: Sendable {
    struct Step: Sendable {
        let title: Message
        let detail: Message
        let isDone: Bool
        let url: String
        /// Label of the link while the step is not done.
        let action: Message
        /// Label of the link when the step is done.
        let afterwards: Message
        var isNext = false

        static let fields = Fields<Step> {
            $0.words("title") { $0.title }
            $0.words("detail") { $0.detail }
            $0.flag("done") { $0.isDone }
            $0.flag("next") { $0.isNext }
            $0.text("url") { $0.url }
            $0.words("action") { $0.isDone ? $0.afterwards : $0.action }
        }
    }

    let steps: [Step]

    init(_ progress: TeamProgress, in team: TeamID) {
        var steps = Self.registry(progress, team) + Self.use(progress, team)
        if let next = steps.firstIndex(where: { !$0.isDone }) { steps[next].isNext = true }
        self.steps = steps
    }

    var isComplete: Bool { steps.allSatisfy(\.isDone) }

    static let fields = Fields<Checklist> {
        $0.words("summary") { list in
            let done = list.steps.count { $0.isDone }
            return Message("console.overview.setup.progress", ["done": done, "all": list.steps.count])
        }
        $0.list("steps", Step.fields) { $0.steps }
    }

    private static func registry(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Message("console.overview.app-id"), detail: Message("console.overview.app-id.detail"),
                isDone: progress.appIDs > 0,
                url: progress.appIDs > 0 ? ConsoleRoutes.appIDs.link(team) : ConsoleRoutes.newAppID.link(team),
                action: Message("console.overview.app-id.action"), afterwards: Message("console.overview.app-ids")),
            Step(
                title: Message("console.overview.service-id"), detail: Message("console.overview.service-id.detail"),
                isDone: progress.serviceIDs > 0,
                url: progress.serviceIDs > 0
                    ? ConsoleRoutes.serviceIDs.link(team) : ConsoleRoutes.newServiceID.link(team),
                action: Message("console.overview.service-id.action"),
                afterwards: Message("console.overview.service-ids")),
            Step(
                title: Message("console.overview.return-url"), detail: Message("console.overview.return-url.detail"),
                isDone: progress.hasReturnURL, url: ConsoleRoutes.serviceIDs.link(team),
                action: Message("console.overview.service-ids"), afterwards: Message("console.overview.service-ids")),
        ]
    }

    private static func use(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Message("console.overview.key"), detail: Message("console.overview.key.detail"),
                isDone: progress.activeKeys > 0,
                url: progress.activeKeys > 0 ? ConsoleRoutes.keys.link(team) : ConsoleRoutes.newKey.link(team),
                action: Message("console.overview.key.action"), afterwards: Message("console.overview.keys")),
            Step(
                title: Message("console.overview.sign-in"), detail: Message("console.overview.sign-in.detail"),
                isDone: progress.hasSignIn, url: ConsoleRoutes.serviceIDs.link(team),
                action: Message("console.overview.service-ids"), afterwards: Message("console.overview.service-ids")),
        ]
    }
}
