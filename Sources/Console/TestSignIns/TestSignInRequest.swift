import Bytes
import Domain
import Localization
import OAuth

/// Authorization request of a test sign-in, as an app would send it.
struct TestSignInRequest: Sendable {
    let fields: [FormCoding.Field]
    /// URL of the team's authorization endpoint with the parameters as its query.
    let url: String

    init(_ testSignIn: TestSignIn, challenge: String, endpoint: String) {
        var fields = [
            FormCoding.Field("client_id", testSignIn.serviceID.rawValue),
            FormCoding.Field("redirect_uri", testSignIn.returnURL),
            FormCoding.Field("response_type", testSignIn.responseType.rawValue),
            FormCoding.Field("response_mode", testSignIn.responseMode.rawValue),
        ]
        let scope = Self.scope(testSignIn.scope)
        if !scope.isEmpty { fields.append(FormCoding.Field("scope", scope)) }
        fields += [
            FormCoding.Field("state", testSignIn.state), FormCoding.Field("nonce", testSignIn.nonce),
            FormCoding.Field("code_challenge", challenge), FormCoding.Field("code_challenge_method", "S256"),
        ]
        self.fields = fields
        url = "\(endpoint)?\(FormCoding.encode(fields))"
    }

    /// First step of every test sign-in.
    var step: TestSignInStep {
        let rows = fields.map { TestSignInStep.Row($0.name.text, $0.value, Self.notes[$0.name.text]) }
        return TestSignInStep(
            .good, Message("console.test-sign-ins.request"), Message("console.test-sign-ins.request.about"),
            tables: [TestSignInStep.Table(title: "GET /auth/authorize", rows: rows)],
            raws: [TestSignInStep.Raw(Message("console.test-sign-ins.request.address"), url)])
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
        "client_id": Message("console.test-sign-ins.request.client-id"),
        "redirect_uri": Message("console.test-sign-ins.request.redirect-uri"),
        "response_mode": Message("console.test-sign-ins.request.response-mode"),
        "state": Message("console.test-sign-ins.request.state"),
        "nonce": Message("console.test-sign-ins.request.nonce"),
        "code_challenge": Message("console.test-sign-ins.request.code-challenge"),
    ]
}
