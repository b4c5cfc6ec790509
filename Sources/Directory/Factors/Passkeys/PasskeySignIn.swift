public import Core
public import Crypto
public import Platform

/// Registers passkeys and signs users in with them.
public struct PasskeySignIn: Sendable {
    public let party: RelyingParty
    public let challenges: PasskeyChallenges
    public let passkeys: PasskeyStore

    public init(_ database: TeamDatabase, party: RelyingParty, keyRing: KeyRing, random: RandomSource = .system) {
        self.party = party
        challenges = PasskeyChallenges(keyRing: keyRing, random: random)
        passkeys = PasskeyStore(database, keyRing: keyRing, random: random)
    }

    /// Adds the passkey that answered a challenge of this server.
    ///
    /// - Parameters:
    ///   - isFirst: whether the user must not have a factor yet, because they have proved none.
    ///   - right: right by which the user adds it; nil if the caller is responsible for that.
    ///   - mailer: notifies the user by mail; nil for no mail.
    /// - Returns: the user's recovery codes, if these are the first.
    /// - Throws: `FactorRefusal`, `PostgresFailure`.
    public func register(
        _ response: RegistrationResponse, named name: PasskeyName, transports: [String], for subject: Subject,
        isFirst: Bool = false, by right: EnrolmentRight? = nil, browser: String, in team: TeamID, from origin: Origin,
        at now: Timestamp = .now(), telling mailer: FactorMailer? = nil
    ) async throws -> [RecoveryCode]? {
        guard let spent = spent(response.claimedChallenge, .registration(subject), browser, team, now) else {
            throw FactorRefusal.notProved
        }
        let credential: Credential
        do throws(WebAuthnFailure) { credential = try party.register(response, challenge: spent.challenge) } catch {
            throw FactorRefusal.notProved
        }
        let new = PasskeyStore.New(
            credential: credential, name: name, transports: transports, isFirst: isFirst, right: right)
        return try await passkeys.add(
            new, to: subject, spending: spent, in: team, from: origin, at: now, telling: mailer)
    }

    /// User of a passkey as the only proof, which requires PIN or biometrics and the user handle in the response.
    ///
    /// - Returns: nil for an invalid response, whatever the reason.
    public func signIn(
        _ response: AssertionResponse, browser: String, in team: TeamID, from origin: Origin, at now: Timestamp = .now()
    ) async throws -> User? {
        guard let spent = spent(response.claimedChallenge, .signIn, browser, team, now),
            let known = try await passkeys.find(response.credentialID, in: team), let handle = known.handle,
            response.userHandle == handle
        else { return nil }
        let isProved = try await verify(
            response, known, spent, requiresUserVerification: true, in: team, from: origin, at: now)
        return isProved ? known.user : nil
    }

    /// Whether a passkey of that user answered, after the password.
    public func prove(
        _ response: AssertionResponse, of subject: Subject, browser: String, in team: TeamID, from origin: Origin,
        at now: Timestamp = .now()
    ) async throws -> Bool {
        guard let spent = spent(response.claimedChallenge, .secondFactor(subject), browser, team, now),
            let known = try await passkeys.find(response.credentialID, in: team), known.user.subject == subject,
            response.userHandle == nil || response.userHandle == known.handle
        else { return false }
        return try await verify(
            response, known, spent, requiresUserVerification: false, in: team, from: origin, at: now)
    }

    private func spent(
        _ challenge: [UInt8]?, _ purpose: PasskeyChallenges.Purpose, _ browser: String, _ team: TeamID, _ now: Timestamp
    ) -> SpentChallenge? {
        guard let challenge, let end = challenges.end(of: challenge, purpose, browser: browser, in: team, at: now)
        else { return nil }
        return SpentChallenge(challenge: challenge, end: end)
    }

    private func verify(
        _ response: AssertionResponse, _ known: PasskeyStore.Known, _ spent: SpentChallenge,
        requiresUserVerification: Bool, in team: TeamID, from origin: Origin, at now: Timestamp
    ) async throws -> Bool {
        let assertion: Assertion
        do throws(WebAuthnFailure) {
            assertion = try party.verify(
                response, of: known.key, challenge: spent.challenge, knownCount: known.signCount,
                isBackupEligible: known.isBackupEligible, requiresUserVerification: requiresUserVerification)
        } catch {
            // Other errors are not recorded, because any client can cause many of them.
            if error == .counterFellBack {
                try await passkeys.noteCopy(of: known.user.subject, spending: spent, in: team, from: origin, at: now)
            }
            return false
        }
        guard known.user.suspendedAt == nil else { return false }
        return try await passkeys.use(response.credentialID, assertion, spending: spent, in: team, at: now)
    }
}
