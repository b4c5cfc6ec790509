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

/// The current master key, and the older ones that still open the values they sealed.
///
/// Rotation: put the new key first and keep the old one after it.
public struct KeyRing: Sendable {
    /// Newest first; only the first key seals.
    public let keys: [MasterKey]

    /// Creates a ring that seals with `current` and opens with all keys; their IDs must differ.
    public init(current: MasterKey, older: [MasterKey] = []) {
        keys = [current] + older
        precondition(Set(keys.map(\.id)).count == keys.count, "two master keys have the same id")
    }

    /// ID of the key that seals.
    public var currentID: String { keys[0].id }

    /// The key for `purpose`, derived from the current master key.
    public func derive(purpose: String) -> SymmetricKey { keys[0].derive(purpose: purpose) }

    /// The keys for `purpose` of all master keys, newest first, for values that must be recognized after a rotation.
    public func deriveAll(purpose: String) -> [SymmetricKey] { keys.map { $0.derive(purpose: purpose) } }

    /// A sealer for `purpose`, which derives its keys once, for callers that seal often.
    public func sealer(purpose: String) -> Sealer { Sealer(ring: self, purpose: purpose) }

    /// Encrypts `plaintext` for one location, such as `[team, table, row, column]`.
    public func seal(_ plaintext: [UInt8], purpose: String, context: [String]) -> [UInt8] {
        sealer(purpose: purpose).seal(plaintext, context: context)
    }

    /// Decrypts a value sealed for the same purpose and location by any key of the ring; otherwise nil.
    public func open(_ sealed: [UInt8], purpose: String, context: [String]) -> [UInt8]? {
        sealer(purpose: purpose).open(sealed, context: context)
    }
}
