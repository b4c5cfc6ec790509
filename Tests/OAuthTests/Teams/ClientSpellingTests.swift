import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// The client that was probably meant.
@Suite struct ClientSpellingTests {
    /// The whole table, as textbooks have it.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.lowercased().utf8), Array(right.lowercased().utf8))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let changed = corner + (letter == other ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, corner + 1)
            }
        }
        return min(row[right.count], 3)
    }

    @Test func `is as far as the whole table of all letters says`() {
        let words = ["", "a", "B", "ab", "ba", "abc", "cab", "abcd", "bcda", "com.a", "co.ma", "moc.a", "com.acme"]
        let names = words + words.map { "com.acme.\($0)" } + words.map { "\($0).COM.acme" }
        for left in names {
            for right in names {
                var work = Spelling.mostWork
                #expect(Spelling(left).distance(to: right, &work) == Self.distance(left, right), "\(left) \(right)")
            }
        }
    }

    private static let spellings = [
        ("com.acme.web", "com.acme.web"), ("COM.ACME.WEB", "com.acme.web"), ("com.acme.wbe", "com.acme.web"),
        ("com.acme.we", "com.acme.web"), ("com.acme.other.wwweb", "com.acme.other.web"),
        ("com.acme.otter", "com.acme.other"), ("com.acme.xyzz", nil), ("", nil), ("\u{212A}", nil),
        (String(repeating: "a", count: 300), nil),
    ]

    @Test func `is told of what is no more than two letters apart`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            for (sent, nearest) in Self.spellings {
                #expect(team.nearestClient(to: sent)?.rawValue == nearest, "\(sent)")
            }
        }
    }

    @Test func `V42, V43: costs no more for thousands of clients of the longest names than for two hundred`() {
        let beginning = String(repeating: "a.", count: 125)
        var work = Spelling.mostWork
        let sent = Spelling(beginning + "xxxxx")
        var asked = 0
        for number in 10_000..<13_000 where work > 0 {
            _ = sent.distance(to: beginning + String(number), &work)
            asked += 1
        }
        #expect(asked <= 205 && work > -ClientID.maximumLength)
        // Names of another length cost nothing, and others end where they part.
        var rest = 1000
        #expect(sent.distance(to: "com.acme.web", &rest) == 3 && rest == 1000)
        _ = sent.distance(to: String(repeating: "b", count: 255), &rest)
        #expect(rest > 990)
    }
}
