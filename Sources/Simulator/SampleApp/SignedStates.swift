import Core
import Crypto

/// Self-contained `state` values, which an app without a store and cookies can verify as its own.
struct SignedStates: Sendable {
    private static let lifetime = Duration.seconds(1200)

    private let tokens: OpaqueToken

    /// A state with its nonce.
    struct State: Sendable {
        let text: String
        let nonce: String
    }

    init(keyRing: KeyRing) { tokens = OpaqueToken(prefix: "s", keys: keyRing.deriveAll(purpose: "sample-app-states")) }

    func make(at moment: Timestamp) -> State {
        let random = RandomSource.system.bytes(16)
        var payload = random
        for shift in stride(from: 56, through: 0, by: -8) {
            payload.append(UInt8(truncatingIfNeeded: moment.microseconds >> Int64(shift)))
        }
        return State(text: tokens.mint(payload: payload), nonce: Self.nonce(random))
    }

    /// The state of a sign-in, with its nonce; nil if it is invalid or older than its lifetime.
    func verify(_ text: String?, at moment: Timestamp) -> State? {
        guard let text, let payload = tokens.open(text), payload.count == 24 else { return nil }
        let began = Timestamp(microseconds: payload[16...].reduce(0) { $0 << 8 | Int64($1) })
        guard moment - began < Self.lifetime else { return nil }
        return State(text: text, nonce: Self.nonce(Array(payload.prefix(16))))
    }

    private static func nonce(_ random: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(random).prefix(16))) }
}
