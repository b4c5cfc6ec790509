import Bytes
import Crypto
import Domain

/// Writes the tokens of one team.
struct TokenIssuer: Sendable {
    /// What an `id_token` states.
    struct Claims: Sendable {
        let client: Client
        let subject: Subject
        let nonce: String?
        let email: SharedEmail?
        let authenticatedAt: Timestamp
        /// What the person was called on the way from another team, while the window of that transfer is open.
        ///
        /// No grant may leave it out: whatever an app asks for first has to tell it.
        let transferSubject: Subject?
        /// The code or access token it came with, and under which claim its hash stands.
        let companion: Companion?
    }

    enum Companion: Sendable {
        case code(String)
        case accessToken(String)
    }

    let team: TeamSnapshot
    let context: EngineContext

    /// An `id_token` as Apple writes them: header `kid` and `alg` alone, one audience, no `jti`
    /// (claims of OpenID Connect Core section 2, hashes of section 3.3.2.11).
    ///
    /// - Throws: `NoSigningKey` when the team has none, `SigningFailure` when OpenSSL refuses.
    func idToken(_ claims: Claims, at moment: Timestamp) throws -> String {
        try team.sign(payload(claims, at: moment), at: moment)
    }

    /// What tokens of that client name as their issuer.
    func issuer(of client: Client) -> String {
        client.issuesAsApple ? appleIssuer : context.base(of: team.id)
    }

    /// An access token beside that refresh token.
    func accessToken(for refreshTokenID: [UInt8], at moment: Timestamp) -> String {
        accessToken(.user(refreshTokenID: refreshTokenID), at: moment)
    }

    /// An access token of the client itself, for its calls about transferred users.
    func accessToken(for client: ClientID, at moment: Timestamp) -> String {
        accessToken(.client(AccessToken.digest(of: client)), at: moment)
    }

    private func accessToken(_ holder: AccessToken.Holder, at moment: Timestamp) -> String {
        AccessToken(holder, expiresAt: moment + TokenLifetime.accessToken, random: context.random).text(
            of: team
        )
    }

    private func payload(_ claims: Claims, at moment: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.member("iss", issuer(of: claims.client))
        json.member("aud", claims.client.id.rawValue)
        json.member("exp", (moment + team.tokenRules.idTokenLife).seconds)
        json.member("iat", (moment - TokenLifetime.backdating).seconds)
        json.member("sub", claims.subject.rawValue)
        if let nonce = claims.nonce { json.member("nonce", nonce) }
        switch claims.companion {
        case .code(let code): json.member("c_hash", TokenHash.of(code))
        case .accessToken(let token): json.member("at_hash", TokenHash.of(token))
        case nil: break
        }
        if let email = claims.email { json.members(of: email, asStrings: claims.client.writesStrings) }
        // Never later than `iat`, which clients may compare it with.
        let backdated = min(claims.authenticatedAt, moment - TokenLifetime.backdating)
        json.member("auth_time", backdated.seconds)
        json.member("nonce_supported", true)
        if let name = claims.transferSubject { json.member("transfer_sub", name.rawValue) }
        return json.finish()
    }
}

extension JSONWriter {
    /// The claims about an address; Apple writes booleans of either kind.
    mutating func members(of email: SharedEmail, asStrings: Bool) {
        member("email", email.address)
        if asStrings {
            member("email_verified", email.isVerified ? "true" : "false")
            if email.isPrivate { member("is_private_email", "true") }
        } else {
            member("email_verified", email.isVerified)
            if email.isPrivate { member("is_private_email", true) }
        }
    }
}

/// The issuer of clients that hard-code Apple's.
let appleIssuer = "https://appleid.apple.com"

/// A team without a key cannot sign: it was made without the engine's part.
struct NoSigningKey: Error, Sendable {
    let team: TeamID
}
