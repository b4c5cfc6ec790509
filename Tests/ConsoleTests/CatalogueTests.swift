import Bytes
import Console
import Mail
import SignIn
import Templates
import Testing
import Web

/// The texts of the repository, as templates and sources say them.
@Suite struct `The texts of Pippin` {
    private let sources = SwiftSources.read(below: repository + "/Sources")

    @Test func `are there in every language that their pages have`() throws {
        let pages = try Pages(
            folder: repository + "/Templates",
            texts: repository + "/Texts",
            isWatching: false
        )

        #expect(throws: Never.self) {
            try pages.check(Console.views + SignIn.views + LetterWriter.views, TextArea.all)
        }
    }

    @Test func `are all said somewhere, and what is said is there`() throws {
        let texts = try Texts(folder: repository + "/Texts")
        let templates = try TemplateSet(folder: repository + "/Templates")
        let phrases = Set(sources.flatMap(PhraseScan.phrases).map(\.key))
        let families = sources.flatMap(PhraseScan.families)
        let known = texts.keys(in: .english)
        let single = known.filter { key in !families.contains { key.hasPrefix($0 + ".") } }

        #expect(phrases.count > 10, "the scan finds no phrases any more")
        #expect(templates.textKeys.union(phrases).subtracting(known).sorted() == [])
        #expect(single.subtracting(templates.textKeys).subtracting(phrases).sorted() == [])
    }

    @Test func `name every action that the audit log may hold`() throws {
        let texts = try Texts(folder: repository + "/Texts")
        let actions = Set(sources.flatMap { PhraseScan.literals(after: "AuditEvent(", in: $0) })

        #expect(actions.count > 10, "the scan finds no actions any more")
        #expect(actions.filter { !texts.keys(in: .english).contains("console.actions.\($0)") }.sorted() == [])
    }

    @Test(arguments: [
        ("Schedule(", "console.operator.schedules", 10),
        ("static let kind = ", "console.operator.kinds", 3),
    ])
    func `name every schedule and every kind of job`(_ opening: String, _ family: String, _ least: Int) throws
    {
        let texts = try Texts(folder: repository + "/Texts").keys(in: .english)
        let names = Set(sources.flatMap { PhraseScan.literals(after: opening, in: $0) })

        #expect(names.count > least, "the scan finds none any more")
        #expect(names.filter { !texts.contains("\(family).\($0)") }.sorted() == [])
    }

    @Test func `name every letter`() throws {
        let texts = try Texts(folder: repository + "/Texts").keys(in: .english)
        let source = try #require(sources.first { $0.contains("\npublic enum Letter:") })
        let names = source.split(separator: "\n")
            .filter { $0.contains("case .") && $0.hasSuffix("\"") }
            .map { String($0.split(separator: "\"")[1]) }

        #expect(names.count > 5, "the scan finds no letters any more")
        #expect(names.filter { !texts.contains("console.operator.letters.\($0)") } == [])
    }

    @Test func `get their arguments from the phrases in the sources, and have no markup there`() throws {
        let texts = try Texts(folder: repository + "/Texts")

        for phrase in sources.flatMap(PhraseScan.phrases) {
            let needed = texts.placeholders(of: phrase.key)
            #expect(needed.subtracting(phrase.arguments) == [], "\(phrase.key)")
            #expect(!texts.hasMarkup(phrase.key), "\(phrase.key)")
        }
    }
}
