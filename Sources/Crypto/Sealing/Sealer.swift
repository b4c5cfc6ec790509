/// Encrypts values that must be decrypted later, each bound to its location.
///
/// A sealed value is `version ‖ id length ‖ id ‖ nonce ‖ ciphertext ‖ tag`. Everything before the nonce, the
/// purpose, and each part of the context are authenticated, so a value copied to another team, row, or column
/// does not open. One purpose may seal 2³² values under one master key (see `AES256GCM`).
public struct Sealer: Sendable {
    private static let version: UInt8 = 1

    private let keys: [(id: [UInt8], key: SymmetricKey)]
    private let purpose: String

    init(ring: KeyRing, purpose: String) {
        keys = ring.keys.map { (Array($0.id.utf8), $0.derive(purpose: "seal " + purpose)) }
        self.purpose = purpose
    }

    /// Encrypts `plaintext` for one location, such as `[team, table, row, column]`.
    public func seal(_ plaintext: [UInt8], context: [String], random: RandomSource = .system) -> [UInt8] {
        let (id, key) = keys[0]
        let header = [Self.version, UInt8(id.count)] + id
        let data = associatedData(header, context)
        return header + AES256GCM.seal(plaintext, with: key, associatedData: data, random: random)
    }

    /// Decrypts a value sealed for the same location by any key of the ring; otherwise nil.
    public func open(_ sealed: [UInt8], context: [String]) -> [UInt8]? {
        guard let (header, key) = header(of: sealed) else { return nil }
        let data = associatedData(header, context)
        return AES256GCM.open(Array(sealed.dropFirst(header.count)), with: key, associatedData: data)
    }

    private func header(of sealed: [UInt8]) -> (bytes: [UInt8], key: SymmetricKey)? {
        guard sealed.count >= 2, sealed[0] == Self.version else { return nil }
        let header = sealed.prefix(2 + Int(sealed[1]))
        guard let entry = keys.first(where: { $0.id.elementsEqual(header.dropFirst(2)) }) else { return nil }
        return (Array(header), entry.key)
    }

    /// The associated data, each part preceded by its length, so that `["a", "bc"]` and `["ab", "c"]` differ.
    private func associatedData(_ header: [UInt8], _ context: [String]) -> [UInt8] {
        var data = header
        for part in [purpose] + context {
            let count = UInt32(part.utf8.count)
            data += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            data.append(contentsOf: part.utf8)
        }
        return data
    }
}
