import Testing

@testable import Jobs

@Suite struct `The wait between attempts` {
    @Test func `doubles up to six hours`() {
        let policy = JobPolicy()

        #expect(policy.delay(after: 1, spread: 1) == .seconds(10))
        #expect(policy.delay(after: 2, spread: 1) == .seconds(20))
        #expect(policy.delay(after: 12, spread: 1) == .seconds(20_480))
        #expect(policy.delay(after: 13, spread: 1) == .seconds(21_600))
        #expect(policy.delay(after: .max, spread: 1) == .seconds(21_600))
    }

    @Test func `is half as long at least, so that those that failed together come back apart`() {
        #expect(JobPolicy().delay(after: 1, spread: 0) == .seconds(5))
    }

    @Test func `adds up to days`() {
        let policy = JobPolicy()
        let days =
            (1..<policy.attempts).reduce(Duration.zero) { $0 + policy.delay(after: $1, spread: 1) } / .seconds(86_400)

        #expect((2...3).contains(days))
    }
}
