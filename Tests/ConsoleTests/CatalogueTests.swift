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
        let known = texts.keys(in: .english)

        #expect(phrases.count > 10, "the scan finds no phrases any more")
        #expect(templates.textKeys.union(phrases).subtracting(known).sorted() == [])
        #expect(known.subtracting(templates.textKeys).subtracting(phrases).sorted() == [])
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
