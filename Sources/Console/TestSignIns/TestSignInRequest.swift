import Core
import Crypto
import OAuth
import Platform

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
        let scope = testSignIn.scope.text
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

    private static let notes = [
        "client_id": Message("console.test-sign-ins.request.client-id"),
        "redirect_uri": Message("console.test-sign-ins.request.redirect-uri"),
        "response_mode": Message("console.test-sign-ins.request.response-mode"),
        "state": Message("console.test-sign-ins.request.state"),
        "nonce": Message("console.test-sign-ins.request.nonce"),
        "code_challenge": Message("console.test-sign-ins.request.code-challenge"),
    ]
}

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

/// Token request of a test sign-in and its response, by the same endpoint code that serves apps.
struct TestSignInRedemption: Sendable {
    let idToken: String
    let step: TestSignInStep

    private static let title = Message("console.test-sign-ins.token")

    /// - Throws: `TestSignInFailure` when the endpoint refuses, `PostgresFailure` when it cannot respond.
    init(
        _ fields: [FormCoding.Field], at endpoint: TokenEndpoint, by clients: ClientAuthenticator,
        of team: TeamSnapshot, from origin: Origin
    ) async throws {
        let request = TestSignInStep.Table(title: "POST /auth/token", rows: fields.map(Self.row))
        let answer: [UInt8]
        do {
            answer = try await clients.respond(at: endpoint, to: ProtocolParameters(fields), of: team, from: origin)
        } catch let error as OAuthError { throw TestSignInFailure(Self.refusal(error, request)) }
        let members = try JSON.decode([String: JSONValue].self, from: answer)
        idToken = members["id_token"]?.string ?? ""
        step = TestSignInStep(
            .good, Self.title, Message("console.test-sign-ins.token.about"), status: "200",
            tables: [
                request, TestSignInStep.Table(title: Message("console.test-sign-ins.answer"), rows: Self.rows(members)),
            ],
            raws: [
                TestSignInStep.Raw(Message("console.test-sign-ins.token.json"), String(decoding: answer, as: UTF8.self))
            ])
    }

    private static func row(_ field: FormCoding.Field) -> TestSignInStep.Row {
        if field.name == "client_secret" {
            return TestSignInStep.Row(field.name.text, Message("console.test-sign-ins.token.client-secret"))
        }
        return TestSignInStep.Row(field.name.text, field.value, requestNotes[field.name.text])
    }

    private static func rows(_ members: [String: JSONValue]) -> [TestSignInStep.Row] {
        let order = ["token_type", "expires_in", "access_token", "refresh_token", "id_token"]
        return order.compactMap { name in
            members[name].map { value in
                let text = value.string ?? String(decoding: JSON.encode(value), as: UTF8.self)
                return TestSignInStep.Row(name, text, answerNotes[name])
            }
        }
    }

    /// Step with the error response that an app gets, and the internal reason that only the team sees.
    private static func refusal(_ error: OAuthError, _ request: TestSignInStep.Table) -> TestSignInStep {
        var rows = [TestSignInStep.Row("error", error.code.rawValue)]
        if let description = error.description { rows.append(TestSignInStep.Row("error_description", description)) }
        return TestSignInStep(
            .bad, title, Message("console.test-sign-ins.token.refused", ["reason": "\(error.reason)"]), status: "400",
            tables: [request, TestSignInStep.Table(title: Message("console.test-sign-ins.answer"), rows: rows)])
    }

    private static let requestNotes = [
        "redirect_uri": Message("console.test-sign-ins.token.redirect-uri"),
        "code_verifier": Message("console.test-sign-ins.token.code-verifier"),
    ]
    private static let answerNotes = [
        "refresh_token": Message("console.test-sign-ins.token.refresh-token"),
        "id_token": Message("console.test-sign-ins.token.id-token"),
        "expires_in": Message("console.test-sign-ins.token.expires-in"),
    ]
}

/// Error that ends a test sign-in, with the step that explains it.
struct TestSignInFailure: Error {
    let outcome: TestSignInRecord.Outcome
    let step: TestSignInStep

    init(_ step: TestSignInStep, outcome: TestSignInRecord.Outcome = .failed) {
        self.step = step
        self.outcome = outcome
    }
}
