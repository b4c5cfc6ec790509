import Bytes
import Domain
import Testing

@testable import Audit

@Suite struct `The words of an event` {
    @Test func `are its names, its parts and what was changed, each once and in lower case`() {
        let event = World.event(
            after: [
                "description": "Äpfel & Birnen, frisch!", "urls": ["https://acme.example/cb"], "isOn": true,
            ]
        )

        let words = EventWords.of(event)

        #expect(words.first == World.ada.rawValue)
        for word in [
            "com.acme.app", "app_id", "updated", "acme", "äpfel", "birnen", "frisch", "request-1", "cb",
        ] {
            #expect(words.contains(word), "\(word)")
        }
        #expect(words.contains("https://acme.example/cb"))
        #expect(Set(words).count == words.count)
        #expect(!words.contains("") && !words.contains("&") && !words.contains("true"))
    }

    @Test func `are neither endless nor many`() {
        let long = String(repeating: "x", count: 65)
        let many = (1...500).map { "word\($0)" }.joined(separator: " ")

        let words = EventWords.of(World.event(after: ["a": .string(long), "b": .string(many)]))

        #expect(!words.contains(long))
        #expect(words.count == EventWords.limit)
    }

    @Test func `are asked for as they are kept`() {
        #expect(EventWords.ofQuery("  “Äpfel”, com.acme.app  äpfel ") == ["äpfel", "com.acme.app"])
        #expect(EventWords.ofQuery(" !? ") == [])
        #expect(EventWords.ofQuery("a b c d e f g h").count == 6)
    }
}
