import Testing

@testable import AuthEngine

@Suite struct `An allowance of stored steps` {
    @Test func `S18: is not given back to who used it up, however many others come`() {
        var allowance = FlowAllowance<Int>(burst: 2, perDay: 1)
        let first = (0..<3).map { _ in allowance.take(for: -1, at: 0) }
        #expect(first == [true, true, false])
        let others = (0..<50_000).map { allowance.take(for: $0, at: 0) }
        #expect(others.allSatisfy { $0 })
        let again = allowance.take(for: -1, at: 0)
        #expect(!again)
        // Two days later there is one for everybody.
        let later = allowance.take(for: -1, at: 2 * 86_400_000_000_000)
        #expect(later)
    }
}
