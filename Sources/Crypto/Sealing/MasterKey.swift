internal import Core

/// The secret from which the keys of all purposes are derived, with its ID.
public struct MasterKey: Sendable {
    /// Identifies the key in every value sealed with it: 1 to 32 characters of `A-Z a-z 0-9 . _ -`.
    public let id: String
    let key: SymmetricKey

    /// The reason a master key was rejected.
    public enum Failure: Error, Hashable {
        /// The ID is empty, too long, or has other characters.
        case invalidID
        /// The secret has this many bytes instead of 32.
        case wrongLength(Int)
    }

    /// Creates a master key from 32 bytes.
    public init(id: String, secret: [UInt8]) throws(Failure) {
        guard Self.isValid(id: id) else { throw .invalidID }
        guard let key = SymmetricKey(secret) else { throw .wrongLength(secret.count) }
        self.id = id
        self.key = key
    }

    /// Generates a random master key.
    public static func generate(id: String, random: RandomSource = .system) throws(Failure) -> MasterKey {
        try MasterKey(id: id, secret: random.bytes(SymmetricKey.byteCount))
    }

    /// The key for one purpose; keys of different purposes are independent.
    func derive(purpose: String) -> SymmetricKey {
        let info = Array(purpose.utf8)
        return SymmetricKey(copying: key.withSpan { HKDFSHA256.derive(SymmetricKey.byteCount, from: $0, info: info) })
    }

    private static func isValid(id: String) -> Bool {
        (1...32).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "._-".utf8.contains($0) }
    }
}
