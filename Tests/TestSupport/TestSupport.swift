// TestSupport: what the tests of every module share.
//
// Owns: how a test waits for what must happen, and damaged input.
// Must not know: any module of Pippin.

import Glibc

extension Duration {
    /// How long a test lets anything take that must happen: only what hangs takes longer, on however slow a machine.
    public static var testTimeout: Duration { .seconds(600) }

    /// Time that really passes, where at least so much has to be counted: no test fails because it is longer.
    public static var shortPause: Duration { .milliseconds(20) }
}

/// What a test waited for in vain.
public struct NeverHappened: Error, CustomStringConvertible { public let description: String }

/// Waits until `condition` holds, for `testTimeout` at most.
public func waitUntil(
    _ what: String = "what was waited for", file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .testTimeout
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(description: "\(file):\(line): \(what)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// The same, by holding the thread.
public func blockUntil(
    _ what: String = "what was waited for", file: String = #fileID, line: Int = #line, _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + .testTimeout
    while try !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(description: "\(file):\(line): \(what)") }
        usleep(500)
    }
}
