import Testing

/// Lends each test of a suite, or one test, an installation of its own.
struct InstallationTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    fileprivate let lend:
        @Sendable (_ body: @escaping @Sendable (Installation) async throws -> Void) async throws -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await lend { try await Installation.$lent.withValue($0, operation: function) }
        }
    }
}

/// The installation of the test that runs.
var pippin: Installation {
    guard let installation = Installation.lent else { preconditionFailure("a test without .installation or .acme") }
    return installation
}

extension Trait where Self == InstallationTrait {
    /// Without teams.
    static var installation: Self { Self { try await Installation.with($0) } }

    /// With Acme's whole file applied.
    static var acme: Self {
        Self { body in
            try await Installation.with { pippin in
                try await pippin.apply(Files.whole)
                try await body(pippin)
            }
        }
    }
}
