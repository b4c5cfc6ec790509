import Bytes
import Domain
import Localization
import OAuth

/// Token request of a test sign-in and its response, by the same endpoint code that serves apps.
struct TestSignInRedemption: Sendable {
    let idToken: String
    let step: TestSignInStep

    private static let title = Message("console.test-sign-ins.token")

    /// - Throws: `TestSignInFailure` when the endpoint refuses, `PostgresFailure` when it cannot respond.
    init(_ fields: [FormCoding.Field], at endpoint: TokenEndpoint, of team: TeamSnapshot, from origin: Origin)
        async throws
    {
        let request = TestSignInStep.Table(title: "POST /auth/token", rows: fields.map(Self.row))
        let answer: [UInt8]
        do { answer = try await endpoint.respond(to: ProtocolParameters(fields), of: team, from: origin) } catch let
            error as OAuthError
        { throw TestSignInFailure(Self.refusal(error, request)) }
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
