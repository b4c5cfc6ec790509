import Core
import Crypto
import Directory
public import OAuth
public import Platform
import Postgres

/// Sign-ins of native apps, which show Apple's own sheet and hand over its result.
///
/// The code is the proof, because it works once; an app has no client secret. No user data is written until the code is
/// redeemed: a name that is sent once is stored separately meanwhile.
public struct NativeSignIn: ClientEndpoint {
    /// Time for which an equal body is the same sign-in, for apps that retry after a network failure.
    static let repetition = Duration.seconds(60)

    let provider: any NativeProvider
    let server: ServerContext
    let handovers: NativeHandoverStore
    let database: TeamDatabase
    let people: UpstreamIdentityStore
    let tokens: UpstreamTokenStore
    let sessions: RefreshTokenStore
    let orphans: OrphanedTokenStore
    let traces: any TraceSink

    public init(_ provider: any NativeProvider, server: ServerContext, database: TeamDatabase, traces: any TraceSink) {
        self.provider = provider
        self.server = server
        self.traces = traces
        handovers = NativeHandoverStore(database, timeout: provider.timeout)
        self.database = database
        people = UpstreamIdentityStore(database)
        tokens = UpstreamTokenStore(server: server)
        sessions = RefreshTokenStore(database: database)
        orphans = OrphanedTokenStore(database, server: server)
    }

    public func proof(for parameters: ProtocolParameters) -> ClientProof { .secretOrUpstreamCode }

    /// Answers a handover with tokens, `user` and `is_new_user`.
    ///
    /// An equal body within a minute is answered with new tokens of the same session; the earlier ones end. The same
    /// body with and without a client secret is two handovers: a backend's body is of no use to an attacker who has
    /// read it.
    ///
    /// - Throws: `OAuthError` for errors of the app, `UpstreamFailure` for those of Apple, `TooManyRequests`,
    ///   `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        try await respond(to: request, asApple: false)
    }

    /// Answers a backend written for Apple, which redeems at the token endpoint what its app got from Apple, with the
    /// members of Apple's token response alone.
    ///
    /// - Returns: nil for a client to which Apple issues no such codes.
    /// - Throws: as `respond`.
    public func redeem(_ request: AuthenticatedRequest) async throws -> [UInt8]? {
        do { try Self.check(request) } catch { return nil }
        return try await respond(to: request, asApple: true)
    }

    /// Counts a handover as failed until it has succeeded, so that no number of concurrent ones exceeds the limit.
    ///
    /// A backend forwards the handovers of all users of its app, so it is counted by its client ID, whatever its
    /// address. Beyond the limit, only handovers that are verified here continue, each counted for its user before
    /// anything is stored, so that invented codes exclude nobody whose token proves itself; none is given back, because
    /// it may not have been counted. A failure on this server is not the sender's; what Apple was asked stays counted,
    /// because more would only make Apple throttle the team.
    private func respond(to request: AuthenticatedRequest, asApple: Bool) async throws -> [UInt8] {
        try Self.check(request)
        try request.team.requireSigningKey(at: request.moment)
        let handover = try NativeHandover(request.parameters, forApple: asApple)
        let network = LimitKey.network(request.origin.ip)
        let use = RateLimit.Use(.failedHandovers, by: request.client.hasSecret ? .client(request.client.id) : network)
        let others = request.client.hasSecret ? [] : [RateLimit.Use(.unauthenticatedWrites, by: network)]
        var proven: NativeProof?
        do { try await database.count([use] + others, in: request.team.id, at: request.moment) } catch let refusal
            as TooManyRequests
        {
            proven = try await proof(of: handover, for: request.client.id, in: request.team)
            guard let proven, proven.namesCode else { throw refusal }
            try await database.count([Self.use(of: proven)], in: request.team.id, at: request.moment)
        }
        do {
            let tokens = try await answer(handover, request, proven)
            if proven == nil { try await database.release([use], in: request.team.id, at: request.moment) }
            return tokens
        } catch {
            if proven == nil, let failure = error as? UpstreamFailure, failure.remedy == .again,
                !failure.reachedProvider, failure.cause != .upstreamKey
            {
                try await database.release([use], in: request.team.id, at: request.moment)
            }
            throw error
        }
    }

    private func answer(_ handover: NativeHandover, _ request: AuthenticatedRequest, _ proven: NativeProof?)
        async throws -> [UInt8]
    {
        let (client, team) = (request.client.client, request.team.id)
        let busy = UpstreamFailure(.upstreamBusy, .again, because: "the same handover is under way in another request")
        guard let kept = try await handovers.keep(handover, for: client.primaryAppID, in: team, at: request.moment)
        else { throw busy }
        let login = Login(
            handover: handover, client: client, keepsSecret: request.client.hasSecret, team: request.team,
            origin: request.origin, proven: proven, at: request.moment, proof: kept.proof)
        switch kept.status {
        case .settled(let settled): return try await again(settled, login)
        case .busy: throw busy
        case .claimed(let end):
            do { return try await settle(login, claimedUntil: end) } catch {
                // Logged only: the first error is more informative, and the claim expires by itself.
                await server.log.attempt("native.release_failed", request: login.origin.requestID) {
                    if Self.isFinal(error) {
                        try await handovers.forget(handover, claimedUntil: end, in: team)
                    } else {
                        try await handovers.release(handover, claimedUntil: end, in: team)
                    }
                }
                throw error
            }
        }
    }

    /// Whether the same handover may be forgotten: it cannot succeed if it is sent again.
    ///
    /// One from before an unlink must be known by its first arrival, too, however often it is sent.
    private static func isFinal(_ error: any Error) -> Bool {
        (error as? UpstreamFailure).map { $0.remedy != .again && $0.cause != .upstreamUnlinked }
            ?? (error is OAuthError || error is TooManyRequests)
    }

    /// Handover with the context in which it is processed.
    struct Login: Sendable {
        let handover: NativeHandover
        let client: Client
        /// Whether the client has authenticated with a secret, and so receives a refresh token that does not rotate.
        let keepsSecret: Bool
        let team: TeamSnapshot
        let origin: Origin
        /// Verified content of the app's token, already counted for its user; nil if it is still to be read.
        let proven: NativeProof?
        let at: Timestamp
        let proof: UpstreamUnlinks.Proof
    }

    /// Requires a bundle ID of the team whose group is registered at Apple.
    private static func check(_ request: AuthenticatedRequest) throws(OAuthError) {
        let (client, team) = (request.client, request.team)
        guard !team.isServiceID(client.id) else {
            throw OAuthError(
                .invalidClient, cause: .client(client.id.rawValue), because: "client_id is no bundle ID of this team")
        }
        guard team.offersApple(to: client.primaryAppID) else {
            throw OAuthError(
                .invalidClient, cause: .upstreamAbsent, because: "the group of \(client.id) has no connection to Apple")
        }
    }
}

// Answers to handovers.
extension NativeSignIn {
    /// Answers a repeated handover with a new token of the same session, except where a code works once.
    func again(_ settled: NativeHandoverStore.Settled, _ login: Login) async throws -> [UInt8] {
        let refreshToken = token(login)
        guard !login.handover.isForApple, login.at - settled.at <= Self.repetition,
            let person = try await people.find(settled.subject, for: login.client.primaryAppID, in: login.team.id),
            person.user.suspendedAt == nil,
            let since = try await handovers.renew(
                login.handover, to: refreshToken, begunSince: login.team.notBefore(of: login.client.id),
                in: login.team.id)
        else {
            throw OAuthError(
                .invalidGrant, "The code has already been used.", cause: .codeUsed,
                because:
                    "the same handover was answered where a code works once, or more than a minute ago, or its session ended"
            )
        }
        return try await answer(person, since, refreshToken, settled.nonce, settled.isNewUser, login)
    }

    func token(_ login: Login) -> RefreshToken {
        login.keepsSecret ? RefreshToken(random: server.random) : .rotating(random: server.random)
    }

    func answer(
        _ person: UpstreamIdentityStore.Known, _ authenticatedAt: Timestamp, _ refreshToken: RefreshToken,
        _ nonce: String?, _ isNewUser: Bool, _ login: Login
    ) async throws -> [UInt8] {
        let identity = person.consent.map { SharedIdentity(of: person.user, under: $0, asking: .all) }
        let claims = TokenIssuer.Claims(
            client: login.client, subject: person.user.subject, nonce: nonce,
            email: identity?.email.map(SharedEmail.init), authenticatedAt: authenticatedAt)
        let issuer = TokenIssuer(team: login.team, server: server, database: database)
        return try await issuer.answer(claims, under: refreshToken, at: login.at) { json in
            guard !login.handover.isForApple else { return }
            if let user = identity.flatMap(UserDelivery.init) { json.member("user", raw: Array(user.json.utf8)) }
            json.member("is_new_user", isNewUser)
        }
    }
}

// From a stored handover to tokens.
extension NativeSignIn {
    /// Verifies the app's token, if there is one, then redeems the code, which works once; only then writes user data.
    func settle(_ login: Login, claimedUntil end: Timestamp) async throws -> [UInt8] {
        var proof = login.proven
        if proof == nil { proof = try await self.proof(of: login.handover, for: login.client.id, in: login.team) }
        guard let proof else { return try await finish(nil, nil, login) }
        // Without the code's hash in it, the token may be an old one found by an attacker, and the name false.
        let form = proof.namesCode ? login.handover.form : nil
        let announcement = UpstreamAnnouncement(
            person(proof.identity, form, login), as: login.handover.hash, heldUntil: end)
        // A client with a token and its code can send them again and again, and each time the provider is asked.
        let use = Self.use(of: proof)
        if login.proven == nil { try await database.count([use], in: login.team.id, at: login.at) }
        do {
            // The name that is sent once is then kept whatever happens to the code.
            try await people.announce(announcement, in: login.team.id)
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

    private static func use(of proof: NativeProof) -> RateLimit.Use {
        RateLimit.Use(.failedHandovers, by: .account(proof.identity.identifier))
    }

    /// Takes a count back; an error does not fail the sign-in.
    private func release(_ use: RateLimit.Use, _ login: Login) async {
        await server.log.attempt("native.refund_failed", request: login.origin.requestID) {
            try await database.release([use], in: login.team.id, at: login.at)
        }
    }

    /// Whether the provider rejects the code, or reports a user who does not sign in with it.
    private static func isRefused(_ error: any Error) -> Bool {
        (error as? UpstreamFailure).map {
            [.upstreamCode, .upstreamToken, .upstreamSubjectTaken, .registrationClosed].contains($0.cause)
        } ?? (error is OAuthError)
    }

    private func finish(_ proof: NativeProof?, _ announcement: UpstreamAnnouncement?, _ login: Login) async throws
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
    private func grant(_ proof: NativeProof?, _ announcement: UpstreamAnnouncement?, _ login: Login) async throws
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
    private func proof(of handover: NativeHandover, for app: ClientID, in team: TeamSnapshot) async throws
        -> NativeProof?
    {
        guard let token = handover.identityToken else { return nil }
        let proof = try await provider.identify(
            token, beside: handover.code, nonce: handover.expectedNonce, for: app, in: team)
        try checkUser(proof.identity, handover)
        return proof
    }

    /// Checks that a spent code belongs to the user of the handover, and stores that user.
    private func judge(
        _ grant: UpstreamGrant, _ proof: NativeProof?, _ announcement: UpstreamAnnouncement?, _ login: Login
    ) async throws -> UpstreamIdentityStore.Known {
        try checkUser(grant.identity, login.handover)
        guard proof == nil || proof?.identity.identifier == grant.identity.identifier else {
            throw UpstreamFailure(.upstreamToken, .anew, because: "the code is about another person")
        }
        let identity = grant.identity.completed(by: proof?.identity)
        return try await record(identity, announcement, login)
    }

    /// Checks that Apple's `user`, if present, is the `sub` of the token, so that both are about the same user.
    private func checkUser(_ identity: UpstreamIdentity, _ handover: NativeHandover) throws(UpstreamFailure) {
        guard handover.user == nil || handover.user?.isExactly(identity.identifier.rawValue) == true else {
            throw UpstreamFailure(.upstreamToken, .none, because: "user is not the sub of Apple's token")
        }
    }

    /// Stores the user and the data that came with the sign-in; an unlink meanwhile takes precedence.
    private func record(_ identity: UpstreamIdentity, _ announcement: UpstreamAnnouncement?, _ login: Login)
        async throws -> UpstreamIdentityStore.Known
    {
        let person = person(identity, login.handover.form, login)
        return try await people.record(person, announcedBy: announcement, in: login.team.id)
    }

    private func person(_ identity: UpstreamIdentity, _ form: UpstreamForm?, _ login: Login) -> UpstreamLogin {
        UpstreamLogin(
            // Of Apple's claims that came unsigned, only a backend's word counts: anyone can send what an app sends.
            identity.observed(login.keepsSecret ? login.handover.realUserStatus : nil), from: provider.id, form: form,
            primaryAppID: login.client.primaryAppID,
            // The app requests the scopes from Apple itself, so Apple returned what was requested.
            asking: .all, origin: login.origin, at: login.at, provedBy: login.proof)
    }

    private func issue(
        _ person: UpstreamIdentityStore.Known, _ grant: UpstreamGrant, _ nonce: String?,
        _ announcement: UpstreamAnnouncement?, _ login: Login
    ) async throws -> [UInt8] {
        let team = login.team.id
        let subject = person.user.subject
        try await people.count(signInOf: subject, in: team, at: login.at)
        let refreshToken = token(login)
        let isNewUser = person.user.lastSignInAt == nil
        let completion = people.completion(
            of: subject, by: provider.id, to: login.client.id, in: team, from: login.origin, at: login.at,
            when: "FROM session")
        let status = UpstreamLinkStatus(
            of: subject, at: provider.id, as: grant.identity.identifier,
            consentingTo: person.consent == nil ? nil : login.client.primaryAppID)
        let stored = UpstreamTokenStore.New(
            grant.token, from: provider.id, of: subject, as: grant.identity.identifier, for: login.client.primaryAppID,
            at: login.at
        ).map { tokens.insertion(of: $0, in: team, when: "WHERE EXISTS (\(status.row(in: team)))") }
        let settlement = NativeHandoverStore.Settlement(
            handover: login.handover, token: refreshToken,
            session: RefreshTokenStore.NewSession(
                subject: subject, primaryAppID: login.client.primaryAppID, clientID: login.client.id,
                authenticatedAt: grant.identity.authenticatedAt, provider: provider.id), status: status,
            isNewUser: isNewUser, nonce: nonce, at: login.at)
        let others = [announcement?.removal(in: team), stored].compactMap { $0 }
        guard try await handovers.settle(settlement, with: others, completion: completion, in: team) else {
            throw UpstreamFailure.unlinked
        }
        traces.arrive(subject, at: login.client.id, in: team, from: login.origin)
        let body = try await answer(person, grant.identity.authenticatedAt, refreshToken, nonce, isNewUser, login)
        await sessions.trim(after: refreshToken.id, of: subject, in: team, from: login.origin, log: server.log)
        return body
    }
}
