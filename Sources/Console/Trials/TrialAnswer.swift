import AuthEngine
import Bytes
import Crypto

/// What came back to a trial's return URL, checked as an app must check it.
struct TrialAnswer: Sendable {
    let code: String
    let step: TrialStep

    private static let title = "The browser comes back to your app"
    private static let notes = [
        "code": "Good for one redemption within five minutes.",
        "state": "The value that was sent, so the answer belongs to this sign-in.",
        "user":
            "Given at the first sign-in only, so store it at once. A trial gets it every time and uses up nothing.",
        "error": "The only error that ever reaches a return URL.",
    ]

    /// - Throws: `TrialFailure` with the step that tells what is wrong.
    init(
        _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode,
        to trial: Trial
    ) throws(TrialFailure) {
        let rows = fields.map { TrialStep.Row($0.name, $0.value, Self.notes[$0.name]) }
        let method = mode == .formPost ? "POST" : "GET"
        let tables = [TrialStep.Table(title: "\(method) to the return URL", rows: rows)]
        func refuse(_ explanation: String, _ outcome: TrialRecord.Outcome = .failed) -> TrialFailure {
            TrialFailure(TrialStep(.bad, Self.title, explanation, tables: tables), outcome: outcome)
        }
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

        guard Set(fields.map(\.name)).count == fields.count else {
            throw refuse("A parameter came twice. An app must not choose between them.")
        }
        guard mode == trial.responseMode else {
            throw refuse("It came by \(method), although response_mode was \(trial.responseMode.rawValue).")
        }
        guard let state = value("state"), ConstantTime.equal(state, trial.state) else {
            throw refuse(
                "The state is not the one that was sent: an app must stop here, for somebody else may have "
                    + "begun this sign-in."
            )
        }
        if let error = value("error") {
            throw error == "user_cancelled_authorize"
                ? refuse("The person pressed Cancel. An app goes back to where they came from.", .cancelled)
                : refuse("The answer is an error.")
        }
        guard let code = value("code") else { throw refuse("There is no code in the answer.") }
        self.code = code
        step = TrialStep(
            .good,
            Self.title,
            "The person has signed in and agreed. The state is the one that was sent.",
            tables: tables
        )
    }
}
