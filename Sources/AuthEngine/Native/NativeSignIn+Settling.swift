import Bytes
import Crypto
import Directory
import Domain
import Log
import Postgres

// From a stored handover to tokens.
extension NativeSignIn {
    /// Who it is first, where a token says so; then the code, which works once; only then anything is written of a person.
    func settle(_ arrival: Arrival, claimedUntil end: Timestamp) async throws -> [UInt8] {
        let proof = try await proof(of: arrival.handover, arrival)
        guard !arrival.provenOnly || proof?.namesCode == true else { throw Unproven() }
        guard let proof else { return try await finish(nil, nil, arrival) }
        // A name beside any other token may be beside an old one that somebody found.
        let form = proof.namesCode ? arrival.handover.form : nil
        let announcement = ProviderAnnouncement(
            person(proof.identity, form, arrival),
            as: arrival.handover.hash,
            heldUntil: end
        )
        let counts = try await countTry(of: proof, arrival)
        do {
            try await announce(announcement, arrival)
            let tokens = try await finish(proof, announcement, arrival)
            await forgetTry(counts, arrival)
            return tokens
        } catch {
            if (error as? ProviderFailure)?.reachedProvider != true { await forgetTry(counts, arrival) }
            await context.log.attempt("native.dismissal_failed", request: arrival.origin.requestID) {
                let isRefused = Self.isRefused(error)
                try await people.dismiss(announcement, isRefused: isRefused, in: arrival.team.id)
            }
            throw error
        }
    }

    /// Counts that the provider is to be asked about somebody.
    ///
    /// Who has a token and its code can show them again and again, and each time the provider is asked in the team's name.
    /// Both may be what somebody found: a token that names its code counts with that code, any other for its person apart,
    /// so that neither takes anything of what the person comes with next. Who has many pairs has one count for all.
    /// - Throws: `Unproven`, where it has refused the same too often.
    private func countTry(of proof: NativeProof, _ arrival: Arrival) async throws -> [LimitStore.Count] {
        var counts: [LimitStore.Count] = []
        for (subject, limit) in Self.limits(of: proof, arrival.handover) {
            let count = try await limits.add(
                to: subject,
                window: .seconds(60),
                in: arrival.team.id,
                at: arrival.at
            )
            guard count.value <= limit else {
                await forgetTry(counts, arrival)
                throw Unproven()
            }
            counts.append(count)
        }
        return counts
    }

    private static func limits(
        of proof: NativeProof,
        _ handover: NativeHandover
    ) -> [(subject: LimitSubject, limit: Int)] {
        let person = proof.identity.identifier.rawValue
        guard proof.namesCode else { return [(.account("handovers-unnamed", person), mostRefusals)] }
        return [
            (.account("handovers-of-code", "\(person)\n\(handover.code)"), mostRefusals),
            (.account("handovers-of-person", person), mostRefusalsOfPerson),
        ]
    }

    /// Takes back one that went well or never reached the provider; a sign-in does not fail for want of that.
    private func forgetTry(_ counts: [LimitStore.Count], _ arrival: Arrival) async {
        await context.log.attempt("native.refund_failed", request: arrival.origin.requestID) {
            try await limits.refund(counts, in: arrival.team.id)
        }
    }

    /// Whether the provider knows nothing of the code, or has said that it is about somebody who does not come in by it.
    private static func isRefused(_ error: any Error) -> Bool {
        (error as? ProviderFailure).map {
            [.providerCode, .providerToken, .providerSubjectTaken].contains($0.cause)
        } ?? (error is OAuthError)
    }

    /// Lays aside who it would be, with the name that comes once: whatever happens to the code then loses none.
    private func announce(_ announcement: ProviderAnnouncement, _ arrival: Arrival) async throws {
        switch try await people.announce(announcement, in: arrival.team.id) {
        case .stranger: break
        case .resident(let user): try checkStanding(user)
        case .taken: throw ProviderFailure.subjectTaken
        }
    }

    private func finish(
        _ proof: NativeProof?,
        _ announcement: ProviderAnnouncement?,
        _ arrival: Arrival
    ) async throws -> [UInt8] {
        let grant = try await grant(proof, announcement, arrival)
        do {
            let person = try await judge(grant, proof, announcement, arrival)
            return try await issue(person, grant, announcement, arrival)
        } catch {
            // The code is spent: what it gave is to be given back some day, whatever becomes of the sign-in.
            try await strays.keep(grant, from: source(of: arrival))
            throw (error as? ProviderFailure)?.ofProvider ?? error
        }
    }

    /// What the code proves, which is spent by this.
    private func grant(
        _ proof: NativeProof?,
        _ announcement: ProviderAnnouncement?,
        _ arrival: Arrival
    ) async throws -> ProviderGrant {
        do {
            let redemption = try await provider.redeem(
                arrival.handover.code,
                nonces: arrival.handover.nonces,
                for: arrival.client.id,
                in: arrival.team
            )
            let companion = proof?.namesCode == true ? proof?.identity : nil
            if case .unproved = redemption, let companion {
                // The code was good, so who came with it is here, whatever the answer says. Failing that, the name waits.
                await context.log.attempt("native.record_failed", request: arrival.origin.requestID) {
                    _ = try await record(companion, announcement, arrival)
                }
            }
            return try await strays.proved(
                redemption,
                about: companion?.identifier,
                from: source(of: arrival)
            )
        } catch {
            throw (error as? ProviderFailure)?.ofProvider ?? error
        }
    }

    private func source(of arrival: Arrival) -> StrayTokenStore.Source {
        StrayTokenStore.Source(
            provider: provider.id,
            group: arrival.client.group,
            team: arrival.team.id,
            moment: arrival.at,
            needsConsent: true
        )
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
        _ announcement: ProviderAnnouncement?,
        _ arrival: Arrival
    ) async throws -> ProviderPersonStore.Known {
        try checkUser(grant.identity, arrival.handover)
        guard proof == nil || proof?.identity.identifier == grant.identity.identifier else {
            throw ProviderFailure(.providerToken, .anew, because: "the code is about somebody else")
        }
        let identity = grant.identity.completed(by: proof?.identity)
        let known = try await record(identity, announcement, arrival)
        try checkStanding(known.user)
        return known
    }

    private func checkStanding(_ user: User) throws(OAuthError) {
        guard user.suspendedAt == nil else {
            throw OAuthError(.invalidGrant, cause: .personSuspended, because: "the person is suspended")
        }
    }

    /// Apple's `user`, the token and the code must be about the same person.
    private func checkUser(_ identity: ProviderIdentity, _ handover: NativeHandover) throws(ProviderFailure) {
        guard handover.user == nil || handover.user?.isExactly(identity.identifier.rawValue) == true else {
            throw ProviderFailure(.providerToken, .none, because: "user is not the sub of Apple's token")
        }
    }

    /// Who came and what they said; a parting meanwhile wins.
    private func record(
        _ identity: ProviderIdentity,
        _ announcement: ProviderAnnouncement?,
        _ arrival: Arrival
    ) async throws -> ProviderPersonStore.Known {
        let person = person(identity, arrival.handover.form, arrival)
        switch try await people.record(person, announcedBy: announcement, in: arrival.team.id) {
        case .known(let known): return known
        case .taken: throw ProviderFailure.subjectTaken
        case .parted: throw ProviderFailure.parted
        }
    }

    private func person(
        _ identity: ProviderIdentity,
        _ form: ProviderForm?,
        _ arrival: Arrival
    ) -> ProviderPersonStore.Arrival {
        ProviderPersonStore.Arrival(
            identity.observed(arrival.handover.realUserStatus),
            from: provider.id,
            form: form,
            group: arrival.client.group,
            // The app asked Apple by itself; what Apple gave is what it asked for.
            asking: [.name, .email],
            origin: arrival.origin,
            at: arrival.at
        )
    }

    private func issue(
        _ person: ProviderPersonStore.Known,
        _ grant: ProviderGrant,
        _ announcement: ProviderAnnouncement?,
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
            grant.token,
            from: provider.id,
            of: subject,
            as: grant.identity.identifier,
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
        let others = [announcement?.removal(in: team), stored].compactMap { $0 }
        guard try await handovers.settle(settlement, with: others, completion: completion, in: team) else {
            throw ProviderFailure.parted
        }
        flows.arrive(subject, at: arrival.client.id, in: team, from: arrival.origin)
        let body = try await answer(person, grant.identity.authenticatedAt, refreshToken, isNewUser, arrival)
        await sessions.trim(
            after: refreshToken.id,
            of: subject,
            in: team,
            from: arrival.origin,
            log: context.log
        )
        return body
    }
}
