/// Names visible at a position of a page, by level; the innermost level is last.
struct NameScope {
    /// Nil for a block with an unknown name: names inside it are not reported, because its cause is already reported.
    private var levels: [Schema?]

    /// A resolved name.
    struct Match {
        let level: Int
        /// Readers of the groups from the level's scope to the field.
        let groups: [Reader]
        /// Names of these groups.
        let groupNames: [String]
        let field: Schema.Field
        /// The type that declares the field.
        let type: ObjectIdentifier

        var kind: FieldKind { field.kind }
    }

    enum Failure: Error {
        /// The name is inside a block whose own name is unknown.
        case unreported
        case unknown(name: String, owner: String, known: [String])
        case notAGroup(name: String, kind: FieldKind)
    }

    init(_ page: Schema) { levels = [page] }

    mutating func enter(_ schema: Schema?) { levels.append(schema) }

    mutating func leave() { levels.removeLast() }

    /// Looks up the first name from the innermost level outward, and each further name in the group before it.
    func find(_ path: Path) throws(Failure) -> Match {
        for level in levels.indices.reversed() {
            guard let schema = levels[level] else { throw .unreported }
            if schema.field(path.names[0]) != nil { return try find(path, in: schema, at: level) }
        }
        var seen: Set<String> = []
        let visible = levels.reversed().flatMap { $0?.fields.map(\.name) ?? [] }
        let known = visible.filter { seen.insert($0).inserted }
        let owners = levels.reversed().compactMap { $0?.owner }
        throw .unknown(name: path.names[0], owner: owners.joined(separator: ", "), known: known)
    }

    private func find(_ path: Path, in outermost: Schema, at level: Int) throws(Failure) -> Match {
        var schema = outermost
        var groups: [Reader] = []
        for (index, name) in path.names.enumerated() {
            guard let field = schema.field(name) else {
                throw .unknown(name: name, owner: schema.owner, known: schema.fields.map(\.name))
            }
            if index == path.names.count - 1 {
                return Match(
                    level: level, groups: groups, groupNames: path.names.dropLast(), field: field, type: schema.type)
            }
            switch field.kind {
            case .group(let inner), .optionalGroup(let inner): schema = inner
            default: throw .notAGroup(name: name, kind: field.kind)
            }
            groups.append(field.reader)
        }
        throw .unreported
    }
}
