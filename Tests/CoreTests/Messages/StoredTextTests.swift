import Core
import Testing

/// What an earlier version has stored is read by this one, and by the version before where both run on one database.
@Suite struct StoredTextTests {
    private static let stored =
        #"{"message":{"_0":{"arguments":[{"name":"who","words":{"verbatim":{"_0":"Ada"}}}],"count":2,"key":"a.b"}}}"#

    @Test func `a localized text keeps the names it was stored under`() throws {
        let text = LocalizedText.message(Message("a.b", ["who": "Ada"], count: 2))

        #expect(try JSON.decode(LocalizedText.self, from: Array(Self.stored.utf8)) == text)
        let written = try JSON.decode(JSONValue.self, from: JSON.encode(text))
        #expect(try written == JSON.decode(JSONValue.self, from: Array(Self.stored.utf8)))
    }
}
