import Core
import Platform
import Testing

@testable import Console

@Suite struct `A field of lines` {
    private func lines(_ text: String) -> [String] { TypedLines(text, atMost: 5).all }

    @Test(arguments: ["a\nb", "a\r\nb", " a \r b", "\n\na\u{2028}\u{85}b\n", "a\u{0B}b\u{0C}"])
    func `is split at every kind of newline, without empty ones`(_ text: String) { #expect(lines(text) == ["a", "b"]) }

    @Test func `S5, V42: is read up to the first line beyond the limit, and no further`() {
        #expect(lines(String(repeating: "x\n", count: 30_000)) == Array(repeating: "x", count: 6))
        #expect(lines(String(repeating: "\n", count: 60_000)).isEmpty)
    }

    @Test func `names the line that a problem is about`() {
        let typed = TypedLines("a\n\nb", atMost: 5)
        let list: FieldPath = "selectors"
        for path in [list, list[-1], list[2], FieldPath("domains")[1], list[1]["name"]] {
            let errors = FieldErrors(path, "wrong")
            #expect(errors.naming(typed, of: list) == errors)
        }
        #expect(FieldErrors(list[1], "wrong").naming(typed, of: list)[list[1]] == "wrong".localizedText.labelled("b"))
        let told = FieldErrors(list[1], Message("console.refusals.host.name", ["host": "B"]))
        #expect(told.naming(typed, of: list) == told)
    }
}

@Suite(.environment) struct `A form of thousands of lines` {
    private static let lines = String(repeating: "-\n", count: 15_000)

    @Test func `S5, V42: is refused with one sentence a line up to the limit, and one for all others`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        for (path, field, limit) in [
            ("service-ids", "domains", 100), ("checks/service-ids", "domains", 100), ("email-sources", "selectors", 5),
            ("checks/email-sources", "selectors", 5),
        ] {
            let form = [
                ("identifier", "com.acme.other"), ("appID", "com.acme.app"), ("description", "Other"),
                ("source", "acme.example"), (field, Self.lines),
            ]
            let answer = try await owner.post("/console/ACMETEAM01/\(path)", form)

            #expect(answer.status == (path.hasPrefix("checks") ? 200 : 422), "\(path)")
            #expect(answer.text.contains("There are too many: at most \(limit)."), "\(path)")
            // What was typed is kept; each sentence stands in the summary and beside the field.
            #expect(answer.text.utf8.count < Self.lines.utf8.count + limit * 1024 + 65_536, "\(path)")
        }
    }
}
