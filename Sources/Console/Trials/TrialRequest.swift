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
        let rows = fields.map { TrialStep.Row($0.name, $0.value, Self.notes[$0.name]) }
        return TrialStep(
            .good,
            "Your app sends the browser to Pippin",
            "With these parameters the sign-in begins. A trial has a return URL of its own; all others of this "
                + "Service ID stay as they are.",
            tables: [TrialStep.Table(title: "GET /auth/authorize", rows: rows)],
            raws: [TrialStep.Raw("Address", url)]
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
        "client_id": "The Service ID.",
        "redirect_uri": "Known for ten minutes, to this trial alone.",
        "response_mode": "Asking for name or e-mail, an app must use form_post.",
        "state": "A random value your app remembers, and compares when the browser comes back.",
        "nonce": "A random value that comes back inside the id_token.",
        "code_challenge":
            "PKCE: the SHA-256 of a secret that redeems the code. Optional, unless the Service ID "
            + "requires it.",
    ]
}
