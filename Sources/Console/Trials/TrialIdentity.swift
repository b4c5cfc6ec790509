import AuthEngine
import Bytes
import Crypto
import Domain

/// The id_token of a trial, checked the way an app must check it.
struct TrialIdentity: Sendable {
    let step: TrialStep

    private static let title = Phrase("console.trials.identity")

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
            throw TrialFailure(
                TrialStep(.bad, Self.title, Phrase("console.trials.identity.not-jwt", ["reason": "\(error)"]))
            )
        }
        let tables = DecodedToken.tables(token, notes: Self.notes)
        let raws = [TrialStep.Raw("id_token", text)]
        if let problem = Self.problem(with: token, keySet, expected) {
            throw TrialFailure(TrialStep(.bad, Self.title, problem, tables: tables, raws: raws))
        }
        step = TrialStep(
            .good,
            Self.title,
            Phrase("console.trials.identity.about"),
            tables: tables,
            raws: raws
        )
    }

    /// OpenID Connect Core section 3.1.3.7, in words.
    private static func problem(
        with token: UnverifiedJWT,
        _ keySet: [UInt8],
        _ expected: Expectation
    ) -> Phrase? {
        guard let set = try? JWKSet(json: keySet), let kid = token.header.keyID,
            let key = set.key(id: kid, algorithm: token.header.algorithm)
        else { return Phrase("console.trials.identity.no-key") }
        guard let claims = try? token.verify(with: key) else {
            return Phrase("console.trials.identity.signature")
        }
        guard (try? claims.string("iss")) == expected.issuer else {
            return Phrase("console.trials.identity.issuer", ["issuer": expected.issuer])
        }
        guard (try? claims.audience()) == [expected.audience.rawValue] else {
            return Phrase("console.trials.identity.audience", ["audience": expected.audience.rawValue])
        }
        guard (try? claims.string("nonce")) == expected.nonce else {
            return Phrase("console.trials.identity.wrong-nonce")
        }
        guard let expires = try? claims.date("exp"), expires.timestamp > expected.moment else {
            return Phrase("console.trials.identity.expired")
        }
        return nil
    }

    private static let notes = [
        "kid": Phrase("console.trials.identity.kid"),
        "iss": Phrase("console.trials.identity.iss"),
        "aud": Phrase("console.trials.identity.aud"),
        "sub": Phrase("console.trials.identity.sub"),
        "nonce": Phrase("console.trials.identity.nonce"),
        "email": Phrase("console.trials.identity.email"),
        "is_private_email": Phrase("console.trials.identity.is-private-email"),
        "at_hash": Phrase("console.trials.identity.at-hash"),
    ]
}
