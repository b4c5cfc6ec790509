/// The master key in use and the earlier ones that still open what they sealed.
///
/// Rotation: put the new key first, keep the old one behind it, reseal what `Sealer.isCurrent` denies, drop
/// the old key.
public struct KeyRing: Sendable {
    /// Newest first; only the first seals.
    public let keys: [MasterKey]

    /// A ring that seals with `current` and opens with all; ids must differ.
    public init(current: MasterKey, older: [MasterKey] = []) {
        keys = [current] + older
        precondition(Set(keys.map(\.id)).count == keys.count, "two master keys have the same id")
    }

    /// The id of the key that seals.
    public var currentID: String { keys[0].id }

    /// The key of the current master key for `purpose`.
    public func derive(purpose: String) -> SymmetricKey {
        keys[0].derive(purpose: purpose)
    }

    /// The keys of all master keys for `purpose`, newest first, for what must be recognised after a rotation.
    public func deriveAll(purpose: String) -> [SymmetricKey] {
        keys.map { $0.derive(purpose: purpose) }
    }

    /// The keys for `purpose`, derived once and kept by whoever seals often.
    public func sealer(purpose: String) -> Sealer {
        Sealer(ring: self, purpose: purpose)
    }

    /// Encrypts `plaintext` for one place, such as `[team, table, row, column]`.
    public func seal(_ plaintext: [UInt8], purpose: String, context: [String]) -> [UInt8] {
        sealer(purpose: purpose).seal(plaintext, context: context)
    }

    /// Decrypts what was sealed for the same purpose and place by any key of the ring, else nil.
    public func open(_ sealed: [UInt8], purpose: String, context: [String]) -> [UInt8]? {
        sealer(purpose: purpose).open(sealed, context: context)
    }
}
