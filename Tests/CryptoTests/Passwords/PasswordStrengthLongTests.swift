import Glibc
import Testing

@testable import Crypto

@Suite struct PasswordStrengthLongTests {
    @Test func `V42: costs no more than a few hashes, whatever is made to cost much`() throws {
        for (password, _) in `The strength of a password`.costly {
            // Both here and now: how fast the machine is does not matter.
            let hash = try cost { _ = try Argon2id.standard.hash(password) }
            let estimate = cost { _ = PasswordStrength(of: password) }
            #expect(estimate < 4 * hash, "\(password)")
        }
    }

    /// Of the core, in nanoseconds; the least of a few times.
    private func cost(of work: () throws -> Void) rethrows -> Int {
        try (0..<3).map { _ in
            let start = time()
            try work()
            return time() - start
        }.min() ?? .max
    }

    private func time() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
