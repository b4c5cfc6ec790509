public import Core
import Crypto
public import Platform

/// Issues the tokens of one team.
public struct TokenIssuer: Sendable {
    /// The claims of an `id_token`.
    public struct Claims: Sendable {
        let client: Client
        let subject: Subject
        let nonce: String?
        let email: SharedEmail?
        let authenticatedAt: Timestamp

        public init(client: Client, subject: Subject, nonce: String?, email: SharedEmail?, authenticatedAt: Timestamp) {
            self.client = client
            self.subject = subject
            self.nonce = nonce
            self.email = email
            self.authenticatedAt = authenticatedAt
        }
    }

    /// What an `id_token` is issued with, whose hash becomes `c_hash` or `at_hash`.
    enum BoundValue: Sendable {
        case code(String)
        case accessToken(String)
    }

    let team: TeamSnapshot
    let server: ServerContext
    private let migration: UserMigrationStore

    public init(team: TeamSnapshot, server: ServerContext, database: TeamDatabase) {
        self.team = team
        self.server = server
        migration = UserMigrationStore(database: database, server: server)
    }

    /// Issues an `id_token` like Apple's: header with `kid` and `alg` alone, one audience, no `jti`
    /// (claims of OpenID Connect Core section 2, hashes of section 3.3.2.11).
    ///
    /// It names the user's `transfer_sub` from another team while the window of the transfer is open, whatever the
    /// grant, because the app may use any grant first.
    ///
    /// - Throws: `NoSigningKey` when the team has no key, `SigningFailure` when OpenSSL fails, `PostgresFailure`.
    func idToken(_ claims: Claims, boundTo value: BoundValue, at moment: Timestamp) async throws -> String {
        let transferSubject = try await migration.name(
            of: claims.subject, for: claims.client.primaryAppID, in: team, at: moment)
        return try team.sign(payload(claims, boundTo: value, transferSubject, at: moment), at: moment)
    }

    /// The issuer in tokens of that client.
    func issuer(of client: Client) -> String { client.issuesAsApple ? appleIssuer : server.base(of: team.id) }

    /// Issues an access token for a refresh token.
    func accessToken(for refreshTokenID: [UInt8], at moment: Timestamp) -> String {
        accessToken(.user(refreshTokenID: refreshTokenID), at: moment)
    }

    /// Issues an access token of the client itself, for its requests about transferred users.
    func accessToken(for client: ClientID, at moment: Timestamp) -> String {
        accessToken(.client(AccessToken.digest(of: client)), at: moment)
    }

    private func accessToken(_ holder: AccessToken.Holder, at moment: Timestamp) -> String {
        AccessToken(holder, expiresAt: moment + TokenLifetime.accessToken, random: server.random).text(of: team)
    }

    private func payload(_ claims: Claims, boundTo value: BoundValue, _ transferSubject: Subject?, at moment: Timestamp)
        -> [UInt8]
    {
        var json = JSONWriter()
        json.member("iss", issuer(of: claims.client))
        json.member("aud", claims.client.id.rawValue)
        json.member("exp", (moment + team.idTokenLife).seconds)
        json.member("iat", (moment - TokenLifetime.backdating).seconds)
        json.member("sub", claims.subject.rawValue)
        if let nonce = claims.nonce { json.member("nonce", nonce) }
        switch value {
        case .code(let code): json.member("c_hash", TokenHash.of(code))
        case .accessToken(let token): json.member("at_hash", TokenHash.of(token))
        }
        if let email = claims.email { json.members(of: email, asStrings: claims.client.writesStrings) }
        // Never later than `iat`, because clients may compare the two.
        let backdated = min(claims.authenticatedAt, moment - TokenLifetime.backdating)
        json.member("auth_time", backdated.seconds)
        json.member("nonce_supported", true)
        if let name = transferSubject { json.member("transfer_sub", name.rawValue) }
        return json.finish()
    }
}

extension JSONWriter {
    /// Writes the claims about an email address; Apple uses booleans of both types.
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

/// The issuer for clients that hard-code Apple's.
let appleIssuer = "https://appleid.apple.com"

extension TokenIssuer {
    /// The token response for a user (RFC 6749 section 5.1).
    ///
    /// - Parameters:
    ///   - isNew: whether the refresh token was issued just now; otherwise it is not in the response.
    ///   - more: writes additional members of the endpoint.
    public func answer(
        _ claims: Claims, under refreshToken: RefreshToken, isNew: Bool = true, at moment: Timestamp,
        more: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let accessToken = accessToken(for: refreshToken.id, at: moment)
        let idToken = try await idToken(claims, boundTo: .accessToken(accessToken), at: moment)
        var json = JSONWriter(capacity: 1536)
        json.member("access_token", accessToken)
        json.member("token_type", "Bearer")
        json.member("expires_in", Int(TokenLifetime.accessToken.components.seconds))
        if isNew { json.member("refresh_token", refreshToken.text) }
        json.member("id_token", idToken)
        more(&json)
        return json.finish()
    }
}
