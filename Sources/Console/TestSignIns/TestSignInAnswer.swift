import Bytes
import Crypto
import Localization
import OAuth

/// Authorization response at the return URL of a test sign-in, validated as an app must validate it.
struct TestSignInAnswer: Sendable {
    let code: String
    let step: TestSignInStep

    private static let title = Message("console.test-sign-ins.back")
    private static let notes = [
        "code": Message("console.test-sign-ins.back.code"), "state": Message("console.test-sign-ins.back.state"),
        "user": Message("console.test-sign-ins.back.user"), "error": Message("console.test-sign-ins.back.error"),
    ]

    /// - Throws: `TestSignInFailure` with the step that explains the error.
    init(_ fields: [FormCoding.Field], by mode: AuthorizationRequest.ResponseMode, to testSignIn: TestSignIn)
        throws(TestSignInFailure)
    {
        let rows = fields.map { TestSignInStep.Row($0.name.text, $0.value, Self.notes[$0.name.text]) }
        let method = mode == .formPost ? "POST" : "GET"
        let tables = [
            TestSignInStep.Table(title: Message("console.test-sign-ins.back.table", ["method": method]), rows: rows)
        ]
        func refuse(_ explanation: Message, _ outcome: TestSignInRecord.Outcome = .failed) -> TestSignInFailure {
            TestSignInFailure(TestSignInStep(.bad, Self.title, explanation, tables: tables), outcome: outcome)
        }
        func value(_ name: FieldName) -> String? { fields.first { $0.name == name }?.value }

        guard Set(fields.map(\.name)).count == fields.count else {
            throw refuse(Message("console.test-sign-ins.back.twice"))
        }
        guard mode == testSignIn.responseMode else {
            throw refuse(
                Message(
                    "console.test-sign-ins.back.method", ["method": method, "mode": testSignIn.responseMode.rawValue]))
        }
        guard let state = value("state"), ConstantTime.equal(state, testSignIn.state) else {
            throw refuse(Message("console.test-sign-ins.back.wrong-state"))
        }
        if let error = value("error") {
            throw error == "user_cancelled_authorize"
                ? refuse(Message("console.test-sign-ins.back.cancelled"), .cancelled)
                : refuse(Message("console.test-sign-ins.back.is-error"))
        }
        guard let code = value("code") else { throw refuse(Message("console.test-sign-ins.back.no-code")) }
        self.code = code
        step = TestSignInStep(.good, Self.title, Message("console.test-sign-ins.back.about"), tables: tables)
    }
}
