import Bytes
import Directory
import Domain
import OAuth
import Postgres

// Answers to handovers.
extension NativeSignIn {
    /// Answers a repeated handover with a new token of the same session.
    func again(_ settled: NativeHandoverStore.Settled, _ login: Login) async throws -> [UInt8] {
        let refreshToken = token(login)
        guard login.at - settled.at <= Self.repetition,
            let person = try await people.find(settled.subject, for: login.client.primaryAppID, in: login.team.id),
            person.user.suspendedAt == nil,
            let since = try await handovers.renew(login.handover, to: refreshToken, in: login.team.id)
        else {
            throw OAuthError(
                .invalidGrant, "The code has already been used.", cause: .codeUsed,
                because: "the same handover was answered more than a minute ago, or its session has ended")
        }
        return try await answer(person, since, refreshToken, settled.nonce, settled.isNewUser, login)
    }

    func token(_ login: Login) -> RefreshToken {
        login.keepsSecret ? RefreshToken(random: server.random) : .rotating(random: server.random)
    }

    func answer(
        _ person: FederatedIdentityStore.Known, _ authenticatedAt: Timestamp, _ refreshToken: RefreshToken,
        _ nonce: String?, _ isNewUser: Bool, _ login: Login
    ) async throws -> [UInt8] {
        let identity = person.consent.map { SharedIdentity(of: person.user, under: $0, asking: [.name, .email]) }
        let claims = TokenIssuer.Claims(
            client: login.client, subject: person.user.subject, nonce: nonce,
            email: identity?.email.map(SharedEmail.init), authenticatedAt: authenticatedAt)
        let issuer = TokenIssuer(team: login.team, server: server, database: database)
        return try await issuer.answer(claims, under: refreshToken, at: login.at) { json in
            guard !login.answersAsApple else { return }
            if let user = identity.flatMap(UserDelivery.init) { json.member("user", raw: Array(user.json.utf8)) }
            json.member("is_new_user", isNewUser)
        }
    }
}
