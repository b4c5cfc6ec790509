import Bytes
import Domain
import Testing

@testable import Audit

@Suite struct `The words of an event` {
    @Test func `are its names, its parts and what was changed, each once and in lower case`() {
        let event = TestEnvironment.event(after: [
            "description": "Äpfel & Birnen, frisch!", "urls": ["https://acme.example/cb"], "isOn": true,
        ])

        let words = EventSearchTerms.of(event)

        #expect(words.first == TestEnvironment.ada.rawValue)
        for word in ["com.acme.app", "app_id", "updated", "acme", "äpfel", "birnen", "frisch", "request-1", "cb"] {
            #expect(words.contains(word), "\(word)")
        }
        #expect(words.contains("https://acme.example/cb"))
        #expect(Set(words).count == words.count)
        #expect(!words.contains("") && !words.contains("&") && !words.contains("true"))
    }

    @Test func `are neither endless nor many`() {
        let long = String(repeating: "x", count: 65)
        let many = (1...500).map { "word\($0)" }.joined(separator: " ")

        let words = EventSearchTerms.of(TestEnvironment.event(after: ["a": .string(long), "b": .string(many)]))

        #expect(!words.contains(long))
        #expect(words.count == EventSearchTerms.limit)
    }

    @Test func `are asked for as they are kept`() {
        #expect(EventSearchTerms.ofQuery("  “Äpfel”, com.acme.app  äpfel ") == ["äpfel", "com.acme.app"])
        #expect(EventSearchTerms.ofQuery(" !? ") == [])
        #expect(EventSearchTerms.ofQuery("a b c d e f g h").count == 6)
    }
}
