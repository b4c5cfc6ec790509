import Core
import Templates

/// Bar chart of counts per day, rendered by the server, with the same numbers in a table below it.
///
/// Sizes are in units of the drawing, which the page scales.
struct BarChart: Sendable {
    private static let plot = (left: 40, right: 360, top: 8, bottom: 120)

    let name: String
    let title: Message
    private let days: [Timestamp]
    private let counts: [Int]
    /// Value at the top of the scale.
    private let scale: Int

    init(_ name: String, _ title: Message, days: [Timestamp], counts: [Int]) {
        self.name = name
        self.title = title
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
        $0.words("total") { $0.total }
        $0.flag("empty") { $0.total == 0 }
        $0.optionalWords("first") { $0.days.first.map { LocalizedText.day($0) } }
        $0.optionalWords("last") { $0.days.last.map { LocalizedText.day($0) } }
        $0.list("bars", Bar.fields) { $0.bars }
        $0.list("lines", Line.fields) { $0.lines }
    }
}
