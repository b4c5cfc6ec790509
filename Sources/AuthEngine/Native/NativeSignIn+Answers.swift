import Bytes
import Directory
import Domain
import Postgres

// What an app gets for a handover.
extension NativeSignIn {
    /// The same body again: the session goes on under another token.
    func again(_ settled: NativeHandoverStore.Settled, _ arrival: Arrival) async throws -> [UInt8] {
        let refreshToken = token(arrival)
        guard arrival.at - settled.at <= Self.repetition,
            let person = try await people.find(
                settled.subject,
                for: arrival.client.group,
                in: arrival.team.id
            ), person.user.suspendedAt == nil,
            let since = try await handovers.renew(arrival.handover, to: refreshToken, in: arrival.team.id)
        else {
            throw OAuthError(
                .invalidGrant,
                "The code has already been used.",
                cause: .codeUsed,
                because: "the same handover was answered more than a minute ago, or its session has ended"
            )
        }
        return try await answer(person, since, refreshToken, settled.isNewUser, arrival)
    }

    func token(_ arrival: Arrival) -> RefreshToken {
        arrival.keepsSecret ? RefreshToken(random: context.random) : .rotating(random: context.random)
    }

    func answer(
        _ person: ProviderPersonStore.Known,
        _ authenticatedAt: Timestamp,
        _ refreshToken: RefreshToken,
        _ isNewUser: Bool,
        _ arrival: Arrival
    ) async throws -> [UInt8] {
        let identity = person.consent.map {
            SharedIdentity(of: person.user, under: $0, asking: [.name, .email])
        }
        let transferSubject = try await migration.name(
            of: person.user.subject,
            for: arrival.client.group,
            in: arrival.team,
            at: arrival.at
        )
        return try TokenIssuer(team: arrival.team, context: context).answer(
            tokenID: refreshToken.id,
            refreshToken: refreshToken,
            at: arrival.at,
            more: { json in
                if let user = identity.flatMap(UserDelivery.init) {
                    json.member("user", raw: Array(user.json.utf8))
                }
                json.member("is_new_user", isNewUser)
            },
            claims: { companion in
                TokenIssuer.Claims(
                    client: arrival.client,
                    subject: person.user.subject,
                    nonce: nil,
                    email: identity?.email.map(SharedEmail.init),
                    authenticatedAt: authenticatedAt,
                    transferSubject: transferSubject,
                    companion: companion
                )
            }
        )
    }
}
