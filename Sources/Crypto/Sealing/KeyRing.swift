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
