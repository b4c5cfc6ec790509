/// Identity of a row that statements lock until they are committed.
public struct LockedRow: Hashable, Sendable {
    private let octets: [UInt8]

    /// - Parameters:
    ///   - kind: kind of row, such as the name of its table.
    ///   - key: parts of its key, each without NUL.
    public init(_ kind: StaticString, _ key: String...) {
        var octets = Array(kind.description.utf8)
        for part in key {
            octets.append(0)
            octets += part.utf8
        }
        self.octets = octets
    }

    /// A row identified by `key` under `setting`.
    init(_ key: [UInt8], under setting: Setting) { octets = setting.statement.parameters.bytes + [0] + key }
}
