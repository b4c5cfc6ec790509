public import Core
public import Crypto
public import Platform
import Postgres

/// Random challenges that passkeys sign, so that no response works twice.
///
/// A challenge contains its expiry and a MAC over it with the purpose, the browser and the team. So nothing is stored
/// for challenges without a response; a response is stored when it is used.
public struct PasskeyChallenges: Sendable {
    /// Lifetime of a challenge, as long as that of an interaction.
    public static let life = Duration.minutes(15)
    private static let nonceCount = 16
    private static let codeCount = 16

    /// Purpose of a response.
    public enum Purpose: Hashable, Sendable {
        case registration(Subject)
        /// Sign-in of any user with the passkey.
        case signIn
        case secondFactor(Subject)

        var text: String {
            switch self {
            case .registration(let subject): "registration\n\(subject)"
            case .signIn: "sign-in"
            case .secondFactor(let subject): "second-factor\n\(subject)"
            }
        }
    }

    private let keys: [HMACSHA256]
    private let random: RandomSource

    public init(keyRing: KeyRing, random: RandomSource = .system) {
        keys = keyRing.deriveAll(purpose: "passkey-challenges").map { HMACSHA256(key: $0) }
        self.random = random
    }

    /// Creates a challenge for the pages of one browser.
    ///
    /// - Parameter browser: value of the browser's cookie.
    public func make(_ purpose: Purpose, browser: String, in team: TeamID, at now: Timestamp = .now()) -> [UInt8] {
        let end = UInt64((now + Self.life).seconds)
        let head =
            random.bytes(Self.nonceCount) + (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) }
        return head + code(for: head, purpose, browser, team, keys[0])
    }

    /// Expiry of the challenge; nil if it is over, another browser's, or for another purpose.
    func end(of challenge: [UInt8], _ purpose: Purpose, browser: String, in team: TeamID, at now: Timestamp)
        -> Timestamp?
    {
        guard challenge.count == Self.nonceCount + 8 + Self.codeCount else { return nil }
        let head = Array(challenge.dropLast(Self.codeCount))
        let claimed = Array(challenge.suffix(Self.codeCount))
        let isOurs = keys.contains { ConstantTime.equal(code(for: head, purpose, browser, team, $0), claimed) }
        guard isOurs else { return nil }
        let end = Timestamp(seconds: head.dropFirst(Self.nonceCount).reduce(0) { $0 << 8 | Int($1) })
        return now < end ? end : nil
    }

    private func code(for head: [UInt8], _ purpose: Purpose, _ browser: String, _ team: TeamID, _ key: HMACSHA256)
        -> [UInt8]
    {
        let place = "\(team)\n\(browser)\n\(purpose.text)"
        return Array(key.code(for: head + place.utf8).prefix(Self.codeCount))
    }
}

/// Passkey as displayed to its user.
public struct Passkey: Hashable, Sendable {
    public let id: PasskeyID
    /// Credential ID, by which the browser identifies it.
    public let credentialID: [UInt8]
    public let name: String
    /// Whether it is on the user's other devices too.
    public let isBackedUp: Bool
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp?

    static let columns: SQL = "credential_id, name, is_backed_up, created_at, last_used_at"

    init(_ row: inout Row) throws(PostgresFailure) {
        credentialID = try row.next()
        id = PasskeyID(credential: credentialID)
        name = try row.next()
        isBackedUp = try row.next()
        createdAt = try row.next()
        lastUsedAt = try row.next()
    }
}

/// Public ID of a passkey, which pages may show and forms send back.
public struct PasskeyID: Hashable, Sendable {
    let hash: [UInt8]

    init(credential: [UInt8]) { hash = SHA256.hash(credential) }

    /// Parses an ID; nil if `text` cannot be one.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}

/// Name that a user gives a passkey: one line.
public struct PasskeyName: Hashable, Sendable {
    /// Most Unicode scalars.
    public static let maximumLength = 60

    public let text: String

    /// Creates a name without surrounding white space; nil if it is empty, too long, or not a line of text.
    public init?(_ text: String) {
        guard let name = PersonName(given: text, family: "")?.given, !name.isEmpty,
            name.unicodeScalars.count <= Self.maximumLength
        else { return nil }
        self.text = name
    }
}

/// Challenge that was answered, stored until its expiry among the counters of limits.
struct SpentChallenge: Sendable {
    let challenge: [UInt8]
    let end: Timestamp

    /// Statement that stores the challenge; yields a row the first time only.
    func insertion(in team: TeamID) -> SQL {
        """
        INSERT INTO limits (team_id, subject, window_ends_at, count)
        VALUES (\(team), \("passkey.challenge." + Base64URL.encode(SHA256.hash(challenge))), \(end), 1)
        ON CONFLICT (team_id, subject) DO NOTHING
        RETURNING 1
        """
    }
}

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
