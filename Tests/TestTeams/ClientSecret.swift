public import Core
public import Crypto
public import Platform

/// A client secret that a test may spoil before it is signed.
public struct ClientSecret: Sendable {
    public var header: [String: JSONValue]
    public var claims: [String: JSONValue]

    /// A secret as Apple's documents ask for it, good for five minutes.
    public init(of client: ClientID, in team: TeamID, key: KeyID, audience: String, at now: Timestamp) {
        header = ["alg": "ES256", "kid": .string(key.rawValue)]
        claims = [
            "iss": .string(team.rawValue), "sub": .string(client.rawValue), "aud": .string(audience),
            "iat": .integer(Int64(now.seconds)), "exp": .integer(Int64(now.seconds) + 300),
        ]
    }

    /// What the signature is made over; the same each time.
    public var signedPart: String {
        Base64URL.encode(Self.ordered(header)) + "." + Base64URL.encode(Self.ordered(claims))
    }

    /// An object whose members stand in the order of their names: that of a dictionary differs from copy to copy.
    private static func ordered(_ members: [String: JSONValue]) -> [UInt8] {
        let texts = members.sorted { $0.key < $1.key }.map { name, value in
            let (name, value) = (JSON.encode(JSONValue.string(name)), JSON.encode(value))
            return String(decoding: name + [UInt8(ascii: ":")] + value, as: UTF8.self)
        }
        return Array("{\(texts.joined(separator: ","))}".utf8)
    }

    public func signed(with key: some SigningKey) throws -> String {
        let part = signedPart
        return try part + "." + Base64URL.encode(key.sign(Array(part.utf8).span))
    }

    /// The secret with any octets in the place of its signature.
    public func signed(by signature: [UInt8]) -> String { signedPart + "." + Base64URL.encode(signature) }
}
