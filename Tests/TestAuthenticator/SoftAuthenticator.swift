public import Core
import Crypto

/// A passkey in software: a real key that answers as an authenticator and its browser would, or as a test spoils it.
public struct SoftAuthenticator: Sendable {
    /// Bits of authenticator data (Web Authentication Level 3 section 6.1).
    public enum Flag {
        public static let userPresent: UInt8 = 0x01
        public static let userVerified: UInt8 = 0x04
        public static let backupEligible: UInt8 = 0x08
        public static let backedUp: UInt8 = 0x10
        public static let attested: UInt8 = 0x40
        public static let extended: UInt8 = 0x80
    }

    public var credentialID: [UInt8]
    /// What follows the head of an assertion, signed with it.
    public var extensions: [UInt8] = []
    /// Told at registration; what the key says whose it is.
    public var userHandle: [UInt8]?
    public var flags = Flag.userPresent | Flag.userVerified
    /// What the next answer says; zero for one that does not count.
    public var counter: UInt32 = 0
    public var party: String
    public var origin: String
    /// What the client data has beside type, challenge and origin.
    public var extra: [String: JSONValue] = ["crossOrigin": false]
    private let key: Key

    private enum Key: Sendable {
        case es256(P256SigningKey)
        case rs256(RSASigningKey)
    }

    /// What a browser hands over after a registration.
    public struct Registered: Sendable {
        public var clientDataJSON: [UInt8]
        public var authenticatorData: [UInt8]

        public init(clientDataJSON: [UInt8], authenticatorData: [UInt8]) {
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
        }
    }

    /// What a browser hands over after an assertion.
    public struct Asserted: Sendable {
        public var clientDataJSON: [UInt8]
        public var authenticatorData: [UInt8]
        public var signature: [UInt8]
    }

    public init(party: String, origin: String, signsWithRSA: Bool = false) throws {
        self.party = party
        self.origin = origin
        credentialID = RandomSource.system.bytes(32)
        key = signsWithRSA ? .rs256(try .generate()) : .es256(.generate())
    }

    public func register(challenge: [UInt8], type: String = "webauthn.create") -> Registered {
        let head = head(flags: flags | Flag.attested)
        let length = [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)]
        let model = [UInt8](repeating: 0, count: 16)
        return Registered(
            clientDataJSON: clientData(type, challenge),
            authenticatorData: head + model + length + credentialID + publicKey)
    }

    public func assert(challenge: [UInt8], type: String = "webauthn.get") throws -> Asserted {
        let client = clientData(type, challenge)
        let head = head(flags: flags) + extensions
        return Asserted(
            clientDataJSON: client, authenticatorData: head, signature: try sign(head + SHA256.hash(client)))
    }

    private func head(flags: UInt8) -> [UInt8] {
        SHA256.hash(party) + [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    }

    private func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        let members: [String: JSONValue] = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(origin),
        ]
        return JSON.encode(JSONValue.object(members.merging(extra) { $1 }))
    }

    /// The key in COSE (RFC 9053 section 7.1, RFC 8230 section 4).
    private var publicKey: [UInt8] {
        switch key {
        case .es256(let key):
            let (x, y) = key.publicKey.coordinates
            return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + x + [0x22, 0x58, 0x20] + y
        case .rs256(let key):
            return [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00] + key.publicKey.modulus + [
                0x21, 0x43,
            ] + key.publicKey.exponent
        }
    }

    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .es256(let key): Self.der(try key.sign(message.span))
        case .rs256(let key): try key.sign(message.span)
        }
    }

    /// Authenticators write ECDSA signatures as a DER sequence of two numbers (RFC 3279 section 2.2.3).
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let numbers = number(raw.prefix(32)) + number(raw.suffix(32))
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
