public import Core
public import Crypto
public import Platform

/// Secret displayed to a user who is about to add an authenticator app.
///
/// The form contains it sealed, so that nothing is stored for users who leave the page.
public struct TOTPOffer: Sendable {
    public let secret: TOTPSecret
    /// Sealed secret for the form; it opens for this user only, for one hour.
    public let sealed: String

    /// Creates and opens offers.
    public struct Maker: Sendable {
        private static let life = Duration.minutes(60)

        private let sealer: Sealer
        private let random: RandomSource

        public init(keyRing: KeyRing, random: RandomSource = .system) {
            sealer = keyRing.sealer(purpose: "totp-offers")
            self.random = random
        }

        /// Creates an offer with a new secret for a user.
        public func make(for subject: Subject, in team: TeamID, at now: Timestamp = .now()) -> TOTPOffer {
            let secret = TOTPSecret(random: random)
            let end = UInt64((now + Self.life).seconds)
            let plain = (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) } + secret.bytes
            let sealed = sealer.seal(plain, context: [team.rawValue, subject.rawValue], random: random)
            return TOTPOffer(secret: secret, sealed: Base64URL.encode(sealed))
        }

        /// Opens the offer in a form; nil if it is another user's, too old or invalid.
        public func open(_ sealed: String, for subject: Subject, in team: TeamID, at now: Timestamp = .now())
            -> TOTPOffer?
        {
            guard sealed.utf8.count <= 400, let bytes = Base64URL.decode(sealed),
                let plain = sealer.open(bytes, context: [team.rawValue, subject.rawValue]), plain.count > 8
            else { return nil }
            let end = plain.prefix(8).reduce(0) { $0 << 8 | Int($1) }
            guard now.seconds < end, let secret = TOTPSecret(Array(plain.dropFirst(8))) else { return nil }
            return TOTPOffer(secret: secret, sealed: sealed)
        }
    }
}
