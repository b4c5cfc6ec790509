import Bytes
import Crypto
import Directory
import Domain

// From a stored handover to tokens.
extension NativeSignIn {
    /// Who it is first, from the token if there is one; then the code, which works once.
    func settle(_ arrival: Arrival) async throws -> [UInt8] {
        let handover = arrival.handover
        var told: (identity: ProviderIdentity, person: ProviderPersonStore.Known)?
        if let token = handover.identityToken {
            let identity = try await provider.identify(
                token,
                nonces: handover.nonces,
                for: arrival.client.id,
                in: arrival.team
            )
            try checkUser(identity, handover)
            told = (identity, try await record(identity, arrival))
        }
        let grant = try await provider.redeem(
            handover.code,
            nonces: handover.nonces,
            for: arrival.client.id,
            in: arrival.team
        )
        try checkUser(grant.identity, handover)
        guard told == nil || told?.identity.identifier == grant.identity.identifier else {
            throw ProviderFailure(.providerToken, .none, because: "the code is about somebody else")
        }
        let person: ProviderPersonStore.Known
        if let told { person = told.person } else { person = try await record(grant.identity, arrival) }
        guard person.user.suspendedAt == nil else {
            throw OAuthError(.invalidGrant, cause: .personSuspended, because: "the person is suspended")
        }
        return try await issue(person, grant, arrival)
    }

    /// Apple's `user`, the token and the code must be about the same person.
    private func checkUser(_ identity: ProviderIdentity, _ handover: NativeHandover) throws(ProviderFailure) {
        guard handover.user == nil || handover.user?.isExactly(identity.identifier.rawValue) == true else {
            throw ProviderFailure(.providerToken, .none, because: "user is not the sub of Apple's token")
        }
    }

    private func record(
        _ identity: ProviderIdentity,
        _ arrival: Arrival
    ) async throws -> ProviderPersonStore.Known {
        try await people.record(
            ProviderPersonStore.Arrival(
                identity.observed(arrival.handover.realUserStatus),
                from: provider.id,
                form: arrival.handover.form,
                group: arrival.client.group,
                // The app asked Apple by itself; what Apple gave is what it asked for.
                asking: [.name, .email],
                origin: arrival.origin,
                at: arrival.at
            ),
            in: arrival.team.id
        )
    }

    private func issue(
        _ person: ProviderPersonStore.Known,
        _ grant: ProviderGrant,
        _ arrival: Arrival
    ) async throws -> [UInt8] {
        let team = arrival.team.id
        let subject = person.user.subject
        let refreshToken = token(arrival)
        let isNewUser = person.user.lastSignInAt == nil
        var statements = [
            people.completion(
                of: subject,
                by: provider.id,
                to: arrival.client.id,
                in: team,
                from: arrival.origin,
                at: arrival.at
            )
        ]
        if let text = grant.refreshToken {
            let stored = ProviderTokenStore.New(
                text: text,
                provider: provider.id,
                subject: subject,
                group: arrival.client.group,
                clientID: grant.clientID,
                at: arrival.at
            )
            statements.append(tokens.insertion(of: stored, in: team))
        }
        let settlement = NativeHandoverStore.Settlement(
            handover: arrival.handover,
            token: refreshToken,
            subject: subject,
            group: arrival.client.group,
            clientID: arrival.client.id,
            authenticatedAt: grant.identity.authenticatedAt,
            provider: provider.id,
            isNewUser: isNewUser,
            at: arrival.at
        )
        try await handovers.settle(settlement, with: statements, in: team)
        flows.arrive(subject, at: arrival.client.id, in: team, from: arrival.origin)
        return try answer(person, grant.identity.authenticatedAt, refreshToken, isNewUser, arrival)
    }

    /// The same body again: the session goes on under another token.
    func again(_ settled: NativeHandoverStore.Settled, _ arrival: Arrival) async throws -> [UInt8] {
        let refreshToken = token(arrival)
        guard arrival.at - settled.at <= Self.repetition,
            let person = try await people.find(
                settled.subject,
                for: arrival.client.group,
                in: arrival.team.id
            ), person.user.suspendedAt == nil,
            let since = try await handovers.renew(
                settled,
                for: arrival.handover,
                to: refreshToken,
                in: arrival.team.id
            )
        else {
            throw OAuthError(
                .invalidGrant,
                "The code has already been used.",
                cause: .codeUsed,
                because: "the same handover was answered more than a minute ago, or its session has ended"
            )
        }
        return try answer(person, since, refreshToken, settled.isNewUser, arrival)
    }

    private func token(_ arrival: Arrival) -> RefreshToken {
        arrival.keepsSecret ? RefreshToken(random: context.random) : .rotating(random: context.random)
    }

    private func answer(
        _ person: ProviderPersonStore.Known,
        _ authenticatedAt: Timestamp,
        _ refreshToken: RefreshToken,
        _ isNewUser: Bool,
        _ arrival: Arrival
    ) throws -> [UInt8] {
        let identity = person.consent.map {
            SharedIdentity(of: person.user, under: $0, asking: [.name, .email])
        }
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
                    companion: companion
                )
            }
        )
    }
}
