import Core
import Crypto
import Directory
import OAuth
import Platform
import Postgres

// From a stored handover to tokens.
extension NativeSignIn {
    /// Verifies the app's token, if there is one, then redeems the code, which works once; only then writes user data.
    func settle(_ login: Login, claimedUntil end: Timestamp) async throws -> [UInt8] {
        let proof = try await proof(of: login.handover, login)
        guard !login.provenOnly || proof?.namesCode == true else {
            throw TooManyRequests(limit: .failedHandovers, wait: RateLimit.failedHandovers.window)
        }
        guard let proof else { return try await finish(nil, nil, login) }
        // Without the code's hash in it, the token may be an old one found by an attacker, and the name false.
        let form = proof.namesCode ? login.handover.form : nil
        let announcement = ProviderAnnouncement(
            person(proof.identity, form, login), as: login.handover.hash, heldUntil: end)
        // A client with a token and its code can send them again and again, and each time the provider is asked.
        let use = RateLimit.Use(.failedHandovers, by: .account(proof.identity.identifier))
        try await database.count([use], in: login.team.id, at: login.at)
        do {
            try await announce(announcement, login)
            let tokens = try await finish(proof, announcement, login)
            await release(use, login)
            return tokens
        } catch {
            if (error as? UpstreamFailure)?.reachedProvider != true { await release(use, login) }
            await server.log.attempt("native.dismissal_failed", request: login.origin.requestID) {
                let isRefused = Self.isRefused(error)
                try await people.dismiss(announcement, isRefused: isRefused, in: login.team.id)
            }
            throw error
        }
    }

    /// Takes a count back; an error does not fail the sign-in.
    private func release(_ use: RateLimit.Use, _ login: Login) async {
        await server.log.attempt("native.refund_failed", request: login.origin.requestID) {
            try await database.release([use], in: login.team.id, at: login.at)
        }
    }

    /// Whether the provider rejects the code, or reports a user who does not sign in with it.
    private static func isRefused(_ error: any Error) -> Bool {
        (error as? UpstreamFailure).map { [.providerCode, .providerToken, .providerSubjectTaken].contains($0.cause) }
            ?? (error is OAuthError)
    }

    /// Stores the announced user with the name that is sent once, so that it is kept whatever happens to the code.
    private func announce(_ announcement: ProviderAnnouncement, _ login: Login) async throws {
        switch try await people.announce(announcement, in: login.team.id) {
        case .stranger: break
        case .linkedUser(let user): try checkStanding(user)
        case .taken: throw UpstreamFailure.subjectTaken
        }
    }

    private func finish(_ proof: NativeProof?, _ announcement: ProviderAnnouncement?, _ login: Login) async throws
        -> [UInt8]
    {
        let grant = try await grant(proof, announcement, login)
        do {
            let person = try await judge(grant, proof, announcement, login)
            return try await issue(person, grant, grant.identity.nonce ?? proof?.identity.nonce, announcement, login)
        } catch {
            // The code is spent: its token must be revoked eventually, whatever the result of the sign-in.
            try await orphans.keep(grant, from: source(of: login))
            throw (error as? UpstreamFailure)?.ofProvider ?? error
        }
    }

    /// Redeems the code, which spends it, and returns what it proves.
    private func grant(_ proof: NativeProof?, _ announcement: ProviderAnnouncement?, _ login: Login) async throws
        -> UpstreamGrant
    {
        do {
            let redemption = try await provider.redeem(
                login.handover.code, nonce: login.handover.expectedNonce, for: login.client.id, in: login.team)
            let boundTo = proof?.namesCode == true ? proof?.identity : nil
            if case .unproved = redemption, let boundTo {
                // The code was valid, so the user of the token bound to it is proved whatever the answer contains. If
                // storing the user fails, the name stays with the announcement.
                await server.log.attempt("native.record_failed", request: login.origin.requestID) {
                    _ = try await record(boundTo, announcement, login)
                }
            }
            return try await orphans.proved(redemption, about: boundTo?.identifier, from: source(of: login))
        } catch { throw (error as? UpstreamFailure)?.ofProvider ?? error }
    }

    private func source(of login: Login) -> OrphanedTokenStore.Source {
        OrphanedTokenStore.Source(
            provider: provider.id, primaryAppID: login.client.primaryAppID, team: login.team.id, moment: login.at,
            needsConsent: true)
    }

    /// Verified content of the app's token; nil if there is none.
    private func proof(of handover: NativeHandover, _ login: Login) async throws -> NativeProof? {
        guard let token = handover.identityToken else { return nil }
        let proof = try await provider.identify(
            token, beside: handover.code, nonce: handover.expectedNonce, for: login.client.id, in: login.team)
        try checkUser(proof.identity, handover)
        return proof
    }

    /// Checks that a spent code belongs to the user of the handover, and stores that user.
    private func judge(
        _ grant: UpstreamGrant, _ proof: NativeProof?, _ announcement: ProviderAnnouncement?, _ login: Login
    ) async throws -> FederatedIdentityStore.Known {
        try checkUser(grant.identity, login.handover)
        guard proof == nil || proof?.identity.identifier == grant.identity.identifier else {
            throw UpstreamFailure(.providerToken, .anew, because: "the code is about somebody else")
        }
        let identity = grant.identity.completed(by: proof?.identity)
        let known = try await record(identity, announcement, login)
        try checkStanding(known.user)
        return known
    }

    private func checkStanding(_ user: User) throws(OAuthError) {
        guard user.suspendedAt == nil else {
            throw OAuthError(.invalidGrant, cause: .personSuspended, because: "the person is suspended")
        }
    }

    /// Checks that Apple's `user`, if present, is the `sub` of the token, so that both are about the same user.
    private func checkUser(_ identity: ProviderIdentity, _ handover: NativeHandover) throws(UpstreamFailure) {
        guard handover.user == nil || handover.user?.isExactly(identity.identifier.rawValue) == true else {
            throw UpstreamFailure(.providerToken, .none, because: "user is not the sub of Apple's token")
        }
    }

    /// Stores the user and the data that came with the sign-in; an unlink meanwhile takes precedence.
    private func record(_ identity: ProviderIdentity, _ announcement: ProviderAnnouncement?, _ login: Login)
        async throws -> FederatedIdentityStore.Known
    {
        let person = person(identity, login.handover.form, login)
        switch try await people.record(person, announcedBy: announcement, in: login.team.id) {
        case .known(let known): return known
        case .taken: throw UpstreamFailure.subjectTaken
        case .parted: throw UpstreamFailure.parted
        }
    }

    private func person(_ identity: ProviderIdentity, _ form: ProviderForm?, _ login: Login)
        -> FederatedIdentityStore.Login
    {
        FederatedIdentityStore.Login(
            identity.observed(login.handover.realUserStatus), from: provider.id, form: form,
            primaryAppID: login.client.primaryAppID,
            // The app requests the scopes from Apple itself, so Apple returned what was requested.
            asking: [.name, .email], origin: login.origin, at: login.at)
    }

    private func issue(
        _ person: FederatedIdentityStore.Known, _ grant: UpstreamGrant, _ nonce: String?,
        _ announcement: ProviderAnnouncement?, _ login: Login
    ) async throws -> [UInt8] {
        let team = login.team.id
        let subject = person.user.subject
        let refreshToken = token(login)
        let isNewUser = person.user.lastSignInAt == nil
        let completion = people.completion(
            of: subject, by: provider.id, to: login.client.id, in: team, from: login.origin, at: login.at,
            when: "FROM session")
        let status = FederatedLinkStatus(
            of: subject, at: provider.id, as: grant.identity.identifier,
            consentingTo: person.consent == nil ? nil : login.client.primaryAppID)
        let stored = UpstreamTokenStore.New(
            grant.token, from: provider.id, of: subject, as: grant.identity.identifier, for: login.client.primaryAppID,
            at: login.at
        ).map { tokens.insertion(of: $0, in: team, when: "WHERE EXISTS (\(status.row(in: team)))") }
        let settlement = NativeHandoverStore.Settlement(
            handover: login.handover, token: refreshToken, subject: subject, primaryAppID: login.client.primaryAppID,
            clientID: login.client.id, authenticatedAt: grant.identity.authenticatedAt, provider: provider.id,
            status: status, isNewUser: isNewUser, nonce: nonce, at: login.at)
        let others = [announcement?.removal(in: team), stored].compactMap { $0 }
        guard try await handovers.settle(settlement, with: others, completion: completion, in: team) else {
            throw UpstreamFailure.parted
        }
        traces.arrive(subject, at: login.client.id, in: team, from: login.origin)
        let body = try await answer(person, grant.identity.authenticatedAt, refreshToken, nonce, isNewUser, login)
        await sessions.trim(after: refreshToken.id, of: subject, in: team, from: login.origin, log: server.log)
        return body
    }
}
