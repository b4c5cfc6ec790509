import Core
public import OAuth

/// Answer that a provider posted to the return URL, not verified yet.
public struct UpstreamResponse: Codable, Sendable {
    public let code: String?
    public let idToken: String?
    /// Apple's `user`: JSON text with the name and the email address, sent once and not signed.
    public let user: String?
    public let error: String?
    /// Identifies the upstream request; nil if the sender omitted it.
    let state: String?

    /// Maximum size in bytes, several times that of a provider's answer; each upstream request may store this much.
    static let mostOctets = 8192

    /// Size in bytes as stored.
    public var octets: Int { JSON.encode(self).count }

    /// Whether the answer may identify a user, which takes a token in the form of RFC 7519.
    var mayProve: Bool {
        guard error == nil, let idToken else { return false }
        let parts = idToken.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
            && Base64URL.decode(String(decoding: parts[0], as: UTF8.self)).flatMap { try? JSON.object($0) } != nil
    }

    public init(_ parameters: ProtocolParameters) {
        code = parameters["code"]
        idToken = parameters["id_token"]
        user = parameters["user"]
        error = parameters["error"]
        state = parameters["state"]
    }
}
