/// An Argon2id password hash in the PHC string format, as it is stored.
///
/// The format is `$argon2id$v=19$m=19456,t=2,p=1$` salt `$` digest, both in base64 without padding.
public struct PasswordHash: Sendable, Hashable {
    /// The complete hash in PHC string format.
    public let text: String
    /// Memory that the computation needs, in KiB.
    public let memoryKiB: Int
    /// Number of passes over the memory.
    public let passes: Int

    /// Reads a stored hash; nil if it is of another kind, or requires more than 64 MiB or 10 passes.
    ///
    /// Hashing shares the machine with all other work, so a stored hash must not be able to exhaust it.
    public init?(_ text: String) {
        guard text.utf8.count < 128 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else { return nil }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, costs[2] == "p=1" else { return nil }
        guard let memory = Self.cost("m=", costs[0], in: 8...65_536) else { return nil }
        guard let passes = Self.cost("t=", costs[1], in: 1...10) else { return nil }
        self.text = text
        memoryKiB = memory
        self.passes = passes
    }

    private static func cost(_ name: String, _ text: Substring, in range: ClosedRange<Int>) -> Int? {
        guard text.hasPrefix(name), let value = Int(text.dropFirst(name.count)) else { return nil }
        // The number must have its canonical spelling.
        return range.contains(value) && name + String(value) == text ? value : nil
    }
}
