public import Bytes
public import Crypto
public import Domain

/// The random texts that passkeys sign, so that no answer serves twice.
///
/// A challenge carries its own proof: who it was made for, until when, and that we made it. Nothing is stored for
/// pages nobody answers; an answer is, when it is used.
public struct PasskeyChallenges: Sendable {
    /// As long as a sign-in.
    public static let life = Duration.minutes(15)
    private static let nonceCount = 16
    private static let codeCount = 16

    /// What an answer may be used for.
    public enum Purpose: Hashable, Sendable {
        case registration(Subject)
        /// Whoever has the key.
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

    /// A challenge for pages shown to one browser.
    ///
    /// - Parameter browser: what its cookie holds.
    public func make(
        _ purpose: Purpose,
        browser: String,
        in team: TeamID,
        at now: Timestamp = .now()
    ) -> [UInt8] {
        let end = UInt64((now + Self.life).seconds)
        let head =
            random.bytes(Self.nonceCount)
            + (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) }
        return head + code(for: head, purpose, browser, team, keys[0])
    }

    /// Until when the challenge is good; nil when it is over, another browser's, or for something else.
    func end(
        of challenge: [UInt8],
        _ purpose: Purpose,
        browser: String,
        in team: TeamID,
        at now: Timestamp
    ) -> Timestamp? {
        guard challenge.count == Self.nonceCount + 8 + Self.codeCount else { return nil }
        let head = Array(challenge.dropLast(Self.codeCount))
        let claimed = Array(challenge.suffix(Self.codeCount))
        let isOurs = keys.contains {
            ConstantTime.equal(code(for: head, purpose, browser, team, $0), claimed)
        }
        guard isOurs else { return nil }
        let end = Timestamp(seconds: head.dropFirst(Self.nonceCount).reduce(0) { $0 << 8 | Int($1) })
        return now < end ? end : nil
    }

    private func code(
        for head: [UInt8],
        _ purpose: Purpose,
        _ browser: String,
        _ team: TeamID,
        _ key: HMACSHA256
    ) -> [UInt8] {
        let place = "\(team)\n\(browser)\n\(purpose.text)"
        return Array(key.code(for: head + place.utf8).prefix(Self.codeCount))
    }
}
