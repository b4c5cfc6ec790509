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
