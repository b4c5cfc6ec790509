/// Names and kinds of the fields of a page, a group or a row, as binding needs them.
@usableFromInline struct Schema: Sendable {
    /// Name of the type that declares the fields, for diagnostics.
    let owner: String
    /// Distinguishes types of the same name.
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

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// Declarations that no template can use: invalid and duplicate names.
    var misdeclared: [(name: String, reason: String)] {
        var seen: Set<String> = []
        return fields.compactMap { field in
            if !Path.isName(field.name) { return (field.name, "no name a template can use") }
            return seen.insert(field.name).inserted ? nil : (field.name, "declared twice")
        }
    }
}
