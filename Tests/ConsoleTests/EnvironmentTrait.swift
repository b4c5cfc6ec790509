import TestSupport
import Testing

/// Lends each test of a suite, or one test, a running console of its own, on whose loop the test runs.
struct EnvironmentTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    fileprivate let lend: @Sendable (_ body: () async throws -> Void) async throws -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws { try await lend(function) }
}

/// The console of the test that runs.
var environment: TestEnvironment {
    guard let environment = TestEnvironment.lent else { preconditionFailure("a test without .environment") }
    return environment
}

extension Trait where Self == EnvironmentTrait {
    static var environment: Self { environment() }

    /// What is said is what a test wants otherwise than the others; see `withEnvironment`.
    static func environment(
        sparesRoles: Bool = true, certificateFile: String? = nil, searchTimeout: Duration = .testTimeout,
        limits: [String: Int] = [:], mailServer: String? = nil
    ) -> Self {
        Self { body in
            try await withEnvironment(
                sparesRoles: sparesRoles, certificateFile: certificateFile, searchTimeout: searchTimeout,
                limits: limits, mailServer: mailServer, body)
        }
    }
}
