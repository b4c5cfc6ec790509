internal import Bytes
internal import Crypto

/// What the browser says of the ceremony (Web Authentication Level 3 section 5.8.1).
struct ClientData: Sendable {
    /// More than any browser writes.
    private static let maximumCount = 4096

    /// What the page asked for.
    enum Ceremony: String, Sendable {
        case registration = "webauthn.create"
        case assertion = "webauthn.get"
    }

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    /// What the authenticator signed of it.
    let hash: [UInt8]

    /// Checks the client data against what was asked.
    init(
        _ json: [UInt8],
        of ceremony: Ceremony,
        challenge: [UInt8],
        origin: String
    ) throws(WebAuthnFailure) {
        guard json.count <= Self.maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { throw .malformedClientData }
        guard members.type == ceremony.rawValue else { throw .wrongType }
        guard let answered = Base64URL.decode(members.challenge),
            ConstantTime.equal(answered, challenge)
        else { throw .wrongChallenge }
        guard members.origin.utf8.elementsEqual(origin.utf8) else { throw .wrongOrigin }
        guard members.crossOrigin != true, members.topOrigin == nil else { throw .crossOrigin }
        hash = SHA256.hash(json)
    }

    /// The challenge that client data names, read before anything is checked; nil where it cannot be.
    static func challenge(in json: [UInt8]) -> [UInt8]? {
        guard json.count <= maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { return nil }
        return Base64URL.decode(members.challenge)
    }
}
