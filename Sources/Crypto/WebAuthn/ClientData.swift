internal import Core

/// The client data of a ceremony, created by the browser (Web Authentication Level 3 section 5.8.1).
struct ClientData: Sendable {
    /// Maximum length in octets, more than any browser sends.
    private static let maximumCount = 4096

    /// Ceremony that the page requested.
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

    /// SHA-256 of the client data, which is part of the signed data.
    let hash: [UInt8]

    /// Parses the client data and checks it against the request.
    init(_ json: [UInt8], of ceremony: Ceremony, challenge: [UInt8], origin: String) throws(WebAuthnFailure) {
        guard json.count <= Self.maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { throw .malformedClientData }
        guard members.type == ceremony.rawValue else { throw .wrongType }
        guard let answered = Base64URL.decode(members.challenge), ConstantTime.equal(answered, challenge) else {
            throw .wrongChallenge
        }
        guard members.origin.utf8.elementsEqual(origin.utf8) else { throw .wrongOrigin }
        guard members.crossOrigin != true, members.topOrigin == nil else { throw .crossOrigin }
        hash = SHA256.hash(json)
    }

    /// The challenge in client data, without any check; nil if it cannot be read.
    static func challenge(in json: [UInt8]) -> [UInt8]? {
        guard json.count <= maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { return nil }
        return Base64URL.decode(members.challenge)
    }
}
