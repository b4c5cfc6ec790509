import AuthEngine
import Bytes
import Crypto

/// What came back to a trial's return URL, checked as an app must check it.
struct TrialAnswer: Sendable {
    let code: String
    let step: TrialStep

    private static let title = Phrase("console.trials.back")
    private static let notes = [
        "code": Phrase("console.trials.back.code"),
        "state": Phrase("console.trials.back.state"),
        "user":
            Phrase("console.trials.back.user"),
        "error": Phrase("console.trials.back.error"),
    ]

    /// - Throws: `TrialFailure` with the step that tells what is wrong.
    init(
        _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode,
        to trial: Trial
    ) throws(TrialFailure) {
        let rows = fields.map { TrialStep.Row($0.name.text, $0.value, Self.notes[$0.name.text]) }
        let method = mode == .formPost ? "POST" : "GET"
        let tables = [
            TrialStep.Table(title: Phrase("console.trials.back.table", ["method": method]), rows: rows)
        ]
        func refuse(_ explanation: Phrase, _ outcome: TrialRecord.Outcome = .failed) -> TrialFailure {
            TrialFailure(TrialStep(.bad, Self.title, explanation, tables: tables), outcome: outcome)
        }
        func value(_ name: FieldName) -> String? { fields.first { $0.name == name }?.value }

        guard Set(fields.map(\.name)).count == fields.count else {
            throw refuse(Phrase("console.trials.back.twice"))
        }
        guard mode == trial.responseMode else {
            throw refuse(
                Phrase(
                    "console.trials.back.method",
                    ["method": method, "mode": trial.responseMode.rawValue]
                )
            )
        }
        guard let state = value("state"), ConstantTime.equal(state, trial.state) else {
            throw refuse(
                Phrase("console.trials.back.wrong-state")
            )
        }
        if let error = value("error") {
            throw error == "user_cancelled_authorize"
                ? refuse(Phrase("console.trials.back.cancelled"), .cancelled)
                : refuse(Phrase("console.trials.back.is-error"))
        }
        guard let code = value("code") else { throw refuse(Phrase("console.trials.back.no-code")) }
        self.code = code
        step = TrialStep(
            .good,
            Self.title,
            Phrase("console.trials.back.about"),
            tables: tables
        )
    }
}
