public import Bytes
import Domain
public import Registry

// What Apple's answer means, and which value to look at.
extension AppleConnectionTest {
    public var meaning: Phrase {
        switch outcome {
        case .accepted: Phrase("console.apple.test.accepted.meaning")
        case .refused: Phrase("console.apple.test.refused.meaning")
        case .unexpected: Phrase("console.apple.test.unexpected.meaning", ["detail": detail])
        case .throttled: Phrase("console.apple.test.throttled.meaning")
        case .trouble: Phrase("console.apple.test.trouble.meaning", ["detail": detail])
        case .unreachable: Phrase("console.apple.test.unreachable.meaning", ["detail": detail])
        }
    }

    /// Which value to look at after a refusal, the likeliest first.
    ///
    /// - Parameters:
    ///   - isServicesID: whether the client is the connection's Services ID, not a bundle ID.
    ///   - isKeyProved: whether Apple believed the same key for another client.
    public func advice(isServicesID: Bool, isKeyProved: Bool) -> [Phrase] {
        guard outcome == .refused else { return [] }
        let client =
            isServicesID
            ? Phrase("console.apple.look.services-id", ["id": clientID.rawValue])
            : Phrase("console.apple.look.bundle-id", ["id": clientID.rawValue])
        let binding = Phrase("console.apple.look.binding", ["key": keyID.rawValue])
        guard !isKeyProved else { return [Phrase("console.apple.look.key-proved"), client, binding] }
        return [
            Phrase("console.apple.look.key", ["key": keyID.rawValue]),
            Phrase("console.apple.look.team", ["team": appleTeamID.rawValue]), client, binding,
            Phrase("console.apple.look.wait"),
        ]
    }
}
