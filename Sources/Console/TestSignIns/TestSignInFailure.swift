/// Error that ends a test sign-in, with the step that explains it.
struct TestSignInFailure: Error {
    let outcome: TestSignInRecord.Outcome
    let step: TestSignInStep

    init(_ step: TestSignInStep, outcome: TestSignInRecord.Outcome = .failed) {
        self.step = step
        self.outcome = outcome
    }
}
