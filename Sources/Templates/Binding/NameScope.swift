/// The names around a place of a page, innermost last.
struct NameScope {
    /// Nil where an unknown name opened the block: everything inside is let pass, its cause is reported.
    private var levels: [Schema?]

    /// A field found by its name.
    struct Match {
        let level: Int
        /// Readers of the groups on the way.
        let groups: [Reader]
        let field: Schema.Field
        /// The type that declares it.
        let type: ObjectIdentifier

        var kind: FieldKind { field.kind }
    }

    enum Failure: Error {
        /// Inside a block whose own name is unknown.
        case unreported
        case unknown(name: String, owner: String, known: [String])
        case notAGroup(name: String, kind: FieldKind)
    }

    init(_ page: Schema) {
        levels = [page]
    }

    mutating func enter(_ schema: Schema?) {
        levels.append(schema)
    }

    mutating func leave() {
        levels.removeLast()
    }

    /// Looks for the first name from the innermost level outward, for the others inside it.
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
                return Match(level: level, groups: groups, field: field, type: schema.type)
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
