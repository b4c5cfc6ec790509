import Bytes
import Templates

/// Counts by the day as bars, drawn by the server; the same numbers stand in a table below.
///
/// Sizes are in the units of the drawing, which the page scales.
struct BarChart: Sendable {
    private static let plot = (left: 40, right: 360, top: 8, bottom: 120)

    let name: String
    let title: Phrase
    /// Where what it counts is listed.
    let url: String?
    private let days: [Timestamp]
    private let counts: [Int]
    /// The top of the scale.
    private let scale: Int

    init(_ name: String, _ title: Phrase, at url: String? = nil, days: [Timestamp], counts: [Int]) {
        self.name = name
        self.title = title
        self.url = url
        self.days = days
        self.counts = counts
        scale = Self.scale(above: counts.max() ?? 0)
    }

    /// The least of 1, 2, 5, 10, 20, 50 … that is twice a whole number and no less than `count`.
    private static func scale(above count: Int) -> Int {
        var unit = 1
        while true {
            for step in [2, 4, 10] where unit * step >= count { return unit * step }
            unit *= 10
        }
    }

    /// One day.
    private struct Bar: Sendable {
        let x: Int
        let y: Int
        let width: Int
        let height: Int
        let day: Words
        let count: Int

        static let fields = Fields<Bar>()
            .integer("x") { $0.x }
            .integer("y") { $0.y }
            .integer("width") { $0.width }
            .integer("height") { $0.height }
            .words("day") { $0.day }
            .words("count") { $0.count }
    }

    private var bars: [Bar] {
        let (left, right, bottom) = (Self.plot.left, Self.plot.right, Self.plot.bottom)
        let step = Double(right - left) / Double(max(1, counts.count))
        return zip(days, counts).enumerated().map { index, pair in
            let height = pair.1 == 0 ? 0 : max(2, (bottom - Self.plot.top) * pair.1 / scale)
            let (start, end) = (Int(Double(index) * step), Int(Double(index + 1) * step))
            return Bar(
                x: left + start + 1,
                y: bottom - height,
                width: max(2, end - start - 3),
                height: height,
                day: .day(pair.0),
                count: pair.1
            )
        }
    }

    /// A line across with its number.
    private struct Line: Sendable {
        let y: Int
        let value: Int

        static let fields = Fields<Line>()
            .integer("y") { $0.y }
            .integer("labelY") { $0.y + 4 }
            .words("value") { $0.value }
    }

    private var lines: [Line] {
        let height = Self.plot.bottom - Self.plot.top
        return [0, scale / 2, scale].map { Line(y: Self.plot.bottom - height * $0 / scale, value: $0) }
    }

    private var total: Int { counts.reduce(0, +) }

    static let fields = Fields<BarChart>()
        .text("name") { $0.name }
        .words("title") { $0.title }
        .optionalText("url") { $0.url }
        .words("total") { $0.total }
        .flag("empty") { $0.total == 0 }
        .optionalWords("first") { $0.days.first.map { Words.day($0) } }
        .optionalWords("last") { $0.days.last.map { Words.day($0) } }
        .list("bars", Bar.fields) { $0.bars }
        .list("lines", Line.fields) { $0.lines }
}
