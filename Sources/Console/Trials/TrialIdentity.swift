import AuthEngine
import Bytes
import Crypto
import Domain

/// The id_token of a trial, checked the way an app must check it.
struct TrialIdentity: Sendable {
    let step: TrialStep

    private static let title = "Your server checks the id_token"

    /// What the token must say.
    struct Expectation: Sendable {
        let issuer: String
        let audience: ClientID
        let nonce: String
        let moment: Timestamp
    }

    /// - Parameter keySet: what the team publishes at `/auth/keys`.
    /// - Throws: `TrialFailure` with the step that tells what is wrong.
    init(_ text: String, keySet: [UInt8], _ expected: Expectation) throws(TrialFailure) {
        let token: UnverifiedJWT
        do throws(JWTFailure) {
            token = try UnverifiedJWT(text)
        } catch {
            throw TrialFailure(TrialStep(.bad, Self.title, "It is not a JWT: \(error)."))
        }
        let tables = DecodedToken.tables(token, notes: Self.notes)
        let raws = [TrialStep.Raw("id_token", text)]
        if let problem = Self.problem(with: token, keySet, expected) {
            throw TrialFailure(TrialStep(.bad, Self.title, problem, tables: tables, raws: raws))
        }
        step = TrialStep(
            .good,
            Self.title,
            "The signature belongs to a key of this team's set, and issuer, audience, nonce and time are right: the "
                + "person is who sub says.",
            tables: tables,
            raws: raws
        )
    }

    /// OpenID Connect Core section 3.1.3.7, in words.
    private static func problem(
        with token: UnverifiedJWT,
        _ keySet: [UInt8],
        _ expected: Expectation
    ) -> String? {
        guard let set = try? JWKSet(json: keySet), let kid = token.header.keyID,
            let key = set.key(id: kid, algorithm: token.header.algorithm)
        else { return "No key of the team's set has its kid and algorithm." }
        guard let claims = try? token.verify(with: key) else {
            return "Its signature is not that of the key."
        }
        guard (try? claims.string("iss")) == expected.issuer else {
            return "Its issuer is not \(expected.issuer)."
        }
        guard (try? claims.audience()) == [expected.audience.rawValue] else {
            return "Its audience is not \(expected.audience)."
        }
        guard (try? claims.string("nonce")) == expected.nonce else {
            return "Its nonce is not the one that was sent."
        }
        let now = Int64(expected.moment.seconds)
        guard let expires = try? claims.integer("exp"), expires > now else { return "It has expired." }
        return nil
    }

    private static let notes = [
        "kid": "Which key of /auth/keys to check with. Fetch the set anew when it is unknown.",
        "iss": "Compare it exactly.",
        "aud": "This Service ID; anything else is not meant for your app.",
        "sub": "The person, for as long as they exist. Store this, and never tell people apart by e-mail.",
        "nonce": "The value of the first request.",
        "email": "May change, and two people may have the same.",
        "is_private_email": "The address hides theirs.",
        "at_hash": "Belongs to the access token beside it.",
    ]
}
