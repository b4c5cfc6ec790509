import AuthEngine
import Bytes
import Domain

/// The token request of a trial and its answer, by the code that answers apps.
struct TrialRedemption: Sendable {
    let idToken: String
    let step: TrialStep

    private static let title = Phrase("console.trials.token")

    /// - Throws: `TrialFailure` when the endpoint refused, `PostgresFailure` when it could not answer.
    init(
        _ fields: [FormCoding.Field],
        at endpoint: TokenEndpoint,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws {
        let request = TrialStep.Table(title: "POST /auth/token", rows: fields.map(Self.row))
        let answer: [UInt8]
        do {
            answer = try await endpoint.respond(to: ProtocolParameters(fields), of: team, from: origin)
        } catch let error as OAuthError {
            throw TrialFailure(Self.refusal(error, request))
        }
        let members = try JSON.decode([String: JSONValue].self, from: answer)
        idToken = members["id_token"]?.string ?? ""
        step = TrialStep(
            .good,
            Self.title,
            Phrase("console.trials.token.about"),
            status: "200",
            tables: [
                request, TrialStep.Table(title: Phrase("console.trials.answer"), rows: Self.rows(members)),
            ],
            raws: [
                TrialStep.Raw(Phrase("console.trials.token.json"), String(decoding: answer, as: UTF8.self))
            ]
        )
    }

    private static func row(_ field: FormCoding.Field) -> TrialStep.Row {
        if field.name == "client_secret" {
            return TrialStep.Row(field.name.text, Phrase("console.trials.token.client-secret"))
        }
        return TrialStep.Row(field.name.text, field.value, requestNotes[field.name.text])
    }

    private static func rows(_ members: [String: JSONValue]) -> [TrialStep.Row] {
        let order = ["token_type", "expires_in", "access_token", "refresh_token", "id_token"]
        return order.compactMap { name in
            members[name].map { value in
                let text = value.string ?? String(decoding: JSON.encode(value), as: UTF8.self)
                return TrialStep.Row(name, text, answerNotes[name])
            }
        }
    }

    /// What an app is told, and what only the team is.
    private static func refusal(_ error: OAuthError, _ request: TrialStep.Table) -> TrialStep {
        var rows = [TrialStep.Row("error", error.code.rawValue)]
        if let description = error.description {
            rows.append(TrialStep.Row("error_description", description))
        }
        return TrialStep(
            .bad,
            title,
            Phrase("console.trials.token.refused", ["reason": "\(error.reason)"]),
            status: "400",
            tables: [request, TrialStep.Table(title: Phrase("console.trials.answer"), rows: rows)]
        )
    }

    private static let requestNotes = [
        "redirect_uri": Phrase("console.trials.token.redirect-uri"),
        "code_verifier": Phrase("console.trials.token.code-verifier"),
    ]
    private static let answerNotes = [
        "refresh_token": Phrase("console.trials.token.refresh-token"),
        "id_token": Phrase("console.trials.token.id-token"),
        "expires_in": Phrase("console.trials.token.expires-in"),
    ]
}
