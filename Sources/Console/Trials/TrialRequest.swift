import AuthEngine
import Bytes
import Domain

/// The authorization request of a trial: what an app would send the browser off with.
struct TrialRequest: Sendable {
    let fields: [FormCoding.Field]
    /// Path and query at the team's authorization endpoint.
    let url: String

    init(_ trial: Trial, challenge: String, endpoint: String) {
        var fields = [
            FormCoding.Field("client_id", trial.serviceID.rawValue),
            FormCoding.Field("redirect_uri", trial.returnURL),
            FormCoding.Field("response_type", trial.responseType.rawValue),
            FormCoding.Field("response_mode", trial.responseMode.rawValue),
        ]
        let scope = Self.scope(trial.scope)
        if !scope.isEmpty { fields.append(FormCoding.Field("scope", scope)) }
        fields += [
            FormCoding.Field("state", trial.state),
            FormCoding.Field("nonce", trial.nonce),
            FormCoding.Field("code_challenge", challenge),
            FormCoding.Field("code_challenge_method", "S256"),
        ]
        self.fields = fields
        url = "\(endpoint)?\(FormCoding.encode(fields))"
    }

    /// The first step of every trial.
    var step: TrialStep {
        let rows = fields.map { TrialStep.Row($0.name.text, $0.value, Self.notes[$0.name.text]) }
        return TrialStep(
            .good,
            Phrase("console.trials.request"),
            Phrase("console.trials.request.about"),
            tables: [TrialStep.Table(title: "GET /auth/authorize", rows: rows)],
            raws: [TrialStep.Raw(Phrase("console.trials.request.address"), url)]
        )
    }

    static func scope(_ scope: AuthorizationRequest.Scope) -> String {
        switch (scope.name, scope.email) {
        case (true, true): "name email"
        case (true, false): "name"
        case (false, true): "email"
        case (false, false): ""
        }
    }

    private static let notes = [
        "client_id": Phrase("console.trials.request.client-id"),
        "redirect_uri": Phrase("console.trials.request.redirect-uri"),
        "response_mode": Phrase("console.trials.request.response-mode"),
        "state": Phrase("console.trials.request.state"),
        "nonce": Phrase("console.trials.request.nonce"),
        "code_challenge":
            Phrase("console.trials.request.code-challenge"),
    ]
}
