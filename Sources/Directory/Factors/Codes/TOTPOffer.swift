public import Bytes
public import Crypto
public import Domain

/// A secret shown to somebody who is about to add an authenticator app.
///
/// The form carries it sealed, so nothing is stored for people who go away again.
public struct TOTPOffer: Sendable {
    public let secret: TOTPSecret
    /// For the form: opens for this person alone, for an hour.
    public let sealed: String

    /// Makes and opens offers.
    public struct Maker: Sendable {
        private static let life = Duration.minutes(60)

        private let sealer: Sealer
        private let random: RandomSource

        public init(keyRing: KeyRing, random: RandomSource = .system) {
            sealer = keyRing.sealer(purpose: "totp-offers")
            self.random = random
        }

        /// A new secret for that person.
        public func make(for subject: Subject, in team: TeamID, at now: Timestamp = .now()) -> TOTPOffer {
            let secret = TOTPSecret(random: random)
            let end = UInt64((now + Self.life).seconds)
            let plain = (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) } + secret.bytes
            let sealed = sealer.seal(plain, context: [team.rawValue, subject.rawValue], random: random)
            return TOTPOffer(secret: secret, sealed: Base64URL.encode(sealed))
        }

        /// The offer a form carried; nil when it was another person's, is too old, or none.
        public func open(
            _ sealed: String,
            for subject: Subject,
            in team: TeamID,
            at now: Timestamp = .now()
        ) -> TOTPOffer? {
            guard sealed.utf8.count <= 400, let bytes = Base64URL.decode(sealed),
                let plain = sealer.open(bytes, context: [team.rawValue, subject.rawValue]), plain.count > 8
            else { return nil }
            let end = plain.prefix(8).reduce(0) { $0 << 8 | Int($1) }
            guard now.seconds < end, let secret = TOTPSecret(Array(plain.dropFirst(8))) else { return nil }
            return TOTPOffer(secret: secret, sealed: sealed)
        }
    }
}
