/// A row that statements lock until they are committed, by whatever tells it from others.
public struct LockedRow: Hashable, Sendable {
    private let octets: [UInt8]

    /// - Parameters:
    ///   - kind: what kind of row, such as the name of its table.
    ///   - key: its key, each part without NUL.
    public init(_ kind: StaticString, _ key: String...) {
        var octets = Array(kind.description.utf8)
        for part in key {
            octets.append(0)
            octets += part.utf8
        }
        self.octets = octets
    }

    /// A row that goes by `key` under `setting`.
    init(_ key: [UInt8], under setting: Setting) {
        octets = setting.statement.parameters.bytes + [0] + key
    }
}

extension SQL {
    /// The same statement, known to lock `row`: of those that begin with it, one at a time is sent by a loop.
    public func locking(_ row: LockedRow?) -> SQL {
        var sql = self
        sql.row = row
        return sql
    }
}
