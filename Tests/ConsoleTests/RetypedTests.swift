import SignIn
import Testing

@testable import Console

/// What is typed once more before something that cannot be undone.
@Suite struct `A text to be typed again` {
    @Test(arguments: ["O0I1TEAM99", "o0i1team99", "  O0i1team99\n"]) func `counts in whichever case`(_ typed: String) {
        #expect(Retyped(typed, expecting: "O0I1TEAM99").isRight)
    }

    @Test func `is told apart by the first character that differs`() {
        let expected = "O0I1TEAM99"

        let digit = Retyped("00I1TEAM99", expecting: expected)
        #expect(digit.difference == .character(1, typed: "0", right: "O"))
        #expect(!digit.isRight && digit.problem != nil)
        #expect(Retyped("o0l1team99", expecting: expected).difference == .character(3, typed: "l", right: "I"))
        #expect(Retyped("O0I1TEAM", expecting: expected).difference == .missing("99"))
        #expect(Retyped("O0I1TEAM999", expecting: expected).difference == .surplus("9"))
        #expect(Retyped("", expecting: expected).difference == .missing(expected))
    }

    @Test func `V52: is looked at by code points, and no further than it can go`() {
        let flags = String(repeating: "🇩🇪", count: 2000)
        let typed = Retyped("O0I1TEAM99" + flags, expecting: "O0I1TEAM99")
        guard case .surplus(let rest) = typed.difference else {
            Issue.record("taken");
            return
        }
        #expect(rest.utf8.count <= 100 && flags.utf8.starts(with: rest.utf8))
        #expect(Retyped(flags, expecting: "O0").difference == .character(1, typed: "🇩", right: "O"))
        // A mark behind a letter makes no other letter of it: it is one more.
        #expect(Retyped("O0\u{301}", expecting: "O0").difference == .surplus("\u{301}"))
    }
}
