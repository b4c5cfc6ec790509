import Bytes
import Crypto
import Directory
import Domain
import Postgres

// From a stored handover to tokens.
extension NativeSignIn {
    /// Who it is first, where the token says that it came with the code; then the code, which works once.
    ///
    /// Any other token may be an old one that somebody found, beside a name of their own: nothing is written of it before
    /// the code has proved that the person is here.
    func settle(_ arrival: Arrival) async throws -> [UInt8] {
        let handover = arrival.handover
        let proof = try await proof(of: handover, arrival)
        var known: ProviderPersonStore.Known?
        if let proof, proof.namesCode {
            known = try await record(proof.identity, arrival)
        } else if arrival.provenOnly {
            throw Unproven()
        }
        if let known { try checkStanding(known) }
        let grant = try await redeem(arrival)
        do {
            return try await issue(try await judge(grant, proof, known, arrival), grant, arrival)
        } catch {
            // The code is spent: what it gave is to be given back some day, whatever becomes of the sign-in.
            try await strays.keep(
                grant,
                from: provider.id,
                for: arrival.client.group,
                in: arrival.team.id,
                at: arrival.at
            )
            throw (error as? ProviderFailure)?.ofProvider ?? error
        }
    }

    private func redeem(_ arrival: Arrival) async throws(ProviderFailure) -> ProviderGrant {
        do throws(ProviderFailure) {
            return try await provider.redeem(
                arrival.handover.code,
                nonces: arrival.handover.nonces,
                for: arrival.client.id,
                in: arrival.team
            )
        } catch {
            throw error.ofProvider
        }
    }

    /// What the token proves, where the app handed one over.
    private func proof(of handover: NativeHandover, _ arrival: Arrival) async throws -> NativeProof? {
        guard let token = handover.identityToken else { return nil }
        let proof = try await provider.identify(
            token,
            beside: handover.code,
            nonces: handover.nonces,
            for: arrival.client.id,
            in: arrival.team
        )
        try checkUser(proof.identity, handover)
        return proof
    }

    /// Whom a spent code brings.
    private func judge(
        _ grant: ProviderGrant,
        _ proof: NativeProof?,
        _ known: ProviderPersonStore.Known?,
        _ arrival: Arrival
    ) async throws -> ProviderPersonStore.Known {
        try checkUser(grant.identity, arrival.handover)
        guard proof == nil || proof?.identity.identifier == grant.identity.identifier else {
            throw ProviderFailure(.providerToken, .anew, because: "the code is about somebody else")
        }
        if let known { return known }
        let person = try await record(grant.identity.completed(by: proof?.identity), arrival)
        try checkStanding(person)
        return person
    }

    private func checkStanding(_ person: ProviderPersonStore.Known) throws(OAuthError) {
        guard person.user.suspendedAt == nil else {
            throw OAuthError(.invalidGrant, cause: .personSuspended, because: "the person is suspended")
        }
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
        let known = try await people.record(
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
        guard let known else { throw ProviderFailure.subjectTaken }
        return known
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
        let completion = people.completion(
            of: subject,
            by: provider.id,
            to: arrival.client.id,
            in: team,
            from: arrival.origin,
            at: arrival.at,
            when: "FROM session"
        )
        let standing = ProviderStanding(
            of: subject,
            at: provider.id,
            as: grant.identity.identifier,
            consentingTo: person.consent == nil ? nil : arrival.client.group
        )
        let stored = ProviderTokenStore.New(
            grant,
            from: provider.id,
            of: subject,
            for: arrival.client.group,
            at: arrival.at
        )
        .map { tokens.insertion(of: $0, in: team, when: "WHERE EXISTS (\(standing.row(in: team)))") }
        let settlement = NativeHandoverStore.Settlement(
            handover: arrival.handover,
            token: refreshToken,
            subject: subject,
            group: arrival.client.group,
            clientID: arrival.client.id,
            authenticatedAt: grant.identity.authenticatedAt,
            provider: provider.id,
            standing: standing,
            isNewUser: isNewUser,
            at: arrival.at
        )
        guard try await handovers.settle(settlement, with: stored, completion: completion, in: team) else {
            throw ProviderFailure.parted
        }
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
            let since = try await handovers.renew(arrival.handover, to: refreshToken, in: arrival.team.id)
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
