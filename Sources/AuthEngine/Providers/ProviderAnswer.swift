import Bytes

/// What a provider posted to our return URL, as it came: nothing of it is believed yet.
public struct ProviderAnswer: Codable, Sendable {
    public let code: String?
    public let idToken: String?
    /// Apple's `user`: a JSON text with the name and the address, sent once and signed by nobody.
    public let user: String?
    public let error: String?
    /// Names the trip; nil where whoever posted left it out.
    let state: String?

    /// More than any provider posts, several times over; each trip may have so much kept.
    static let mostOctets = 8192

    /// How much of the sender's is kept, as it is spelt then.
    public var octets: Int { JSON.encode(self).count }

    /// Whether it may say who came: without a token in the form of RFC 7519 nobody's name can be in it.
    var mayProve: Bool {
        guard error == nil, let idToken else { return false }
        let parts = idToken.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
            && Base64URL.decode(String(decoding: parts[0], as: UTF8.self)).flatMap { try? JSON.object($0) }
                != nil
    }

    public init(_ parameters: ProtocolParameters) {
        code = parameters["code"]
        idToken = parameters["id_token"]
        user = parameters["user"]
        error = parameters["error"]
        state = parameters["state"]
    }
}
