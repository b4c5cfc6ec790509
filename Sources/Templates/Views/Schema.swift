/// The names of a page, a group or a row, without the type that fills them: what binding looks at.
@usableFromInline
struct Schema: Sendable {
    /// The type that fills them, as diagnostics name it.
    let owner: String
    /// Tells types of one name apart.
    let type: ObjectIdentifier
    private(set) var fields: [Field] = []

    struct Field: Sendable {
        let name: String
        let kind: FieldKind
        let reader: Reader
    }

    init(of type: Any.Type) {
        owner = "\(type)"
        self.type = ObjectIdentifier(type)
    }

    mutating func declare(_ name: String, _ kind: FieldKind, _ reader: Reader) {
        fields.append(Field(name: name, kind: kind, reader: reader))
    }

    func field(_ name: String) -> Field? {
        fields.first { $0.name == name }
    }

    /// Declarations that no template could reach.
    var misdeclared: [(name: String, reason: String)] {
        var seen: Set<String> = []
        return fields.compactMap { field in
            if !Path.isName(field.name) { return (field.name, "no name a template can use") }
            return seen.insert(field.name).inserted ? nil : (field.name, "declared twice")
        }
    }
}
