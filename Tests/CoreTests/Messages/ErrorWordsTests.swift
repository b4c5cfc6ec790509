import Core
import Testing

/// What errors say that have no sentence of their own.
@Suite struct ErrorWordsTests {
    private struct NoSigningKey: Error { let team: String }
    private struct Gone: Error {}
    private struct Place { let line: Int?, names: [Name] }
    private enum Name { case first, last }
    private enum Trouble: Error {
        case notFound
        case refused(Place)
        case system(call: String, errno: Int)
        case several(Int, String)
    }
    private struct Told: Error, CustomStringConvertible { let description = "all is told" }

    @Test func `are words, without Swift's syntax`() {
        let errors: [(any Error, String)] = [
            (Told(), "all is told"), (Gone(), "gone"), (NoSigningKey(team: "ACME"), "no signing key: team ACME"),
            (Trouble.notFound, "not found"), (Trouble.system(call: "read", errno: 5), "system: call read, errno 5"),
            (Trouble.several(7, "x"), "several: 7, x"),
            (
                Trouble.refused(Place(line: nil, names: [.first, .last])),
                "refused: place: line none, names first, last"
            ),
        ]
        for (error, words) in errors { #expect("\(describing: error)" == words) }
    }
}
