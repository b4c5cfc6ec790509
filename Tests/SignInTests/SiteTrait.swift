import Testing

/// Lends each test of a suite, or one test, a site of its own.
struct SiteTrait: SuiteTrait, TestTrait, TestScoping {
    fileprivate(set) var isRecursive = true
    fileprivate let lend: @Sendable (_ body: (TestSite) async throws -> Void) async throws -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws { try await lend { _ in try await function() } }
}

/// The site of the test that runs.
var site: TestSite {
    guard let site = TestSite.lent else { preconditionFailure("a test without .site, .apple or the like") }
    return site
}

extension Trait where Self == SiteTrait {
    /// One site for all tests of a suite, which is `.serialized` and begins each with `reset`.
    static func shared(_ trait: Self) -> Self {
        var trait = trait
        trait.isRecursive = false
        return trait
    }

    static var site: Self { site() }

    /// - Parameter limits: other numbers, by the names of rate limits.
    static func site(limits: [String: Int] = [:]) -> Self { Self { try await withSite(limits: limits, $0) } }

    /// A site whose team Acme is registered at the Apple simulator.
    static var apple: Self { apple() }

    static func apple(limits: [String: Int] = [:]) -> Self { Self { try await withApple(limits: limits, $0) } }

    /// The same, whose Apple has published the key that tests sign with, and whose app wants to be told.
    static var notifications: Self { Self { try await withNotifications($0) } }

    /// The same, told by the simulator itself.
    static var simulator: Self { Self { try await withSimulator($0) } }
}
