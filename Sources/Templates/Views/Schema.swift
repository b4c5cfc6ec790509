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

/// Kind of a field's value.
@usableFromInline enum FieldKind: Sendable {
    case text
    case optionalText
    case words
    case optionalWords
    case integer
    case flag
    case html
    case url
    case list(Schema)
    case group(Schema)
    case optionalGroup(Schema)

    /// Name of the kind in diagnostics.
    var noun: String {
        switch self {
        case .text: "a text"
        case .optionalText: "an optional text"
        case .words: "words"
        case .optionalWords: "optional words"
        case .integer: "a number"
        case .flag: "a flag"
        case .html: "a SafeHTML"
        case .url: "a SafeURL"
        case .list: "a list"
        case .group: "a group"
        case .optionalGroup: "an optional group"
        }
    }

    /// Fields of a list's rows or of a group.
    var schema: Schema? {
        switch self {
        case .list(let schema), .group(let schema), .optionalGroup(let schema): schema
        default: nil
        }
    }
}
