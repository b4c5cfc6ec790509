/// A field that some template uses.
struct FieldUse: Hashable, Sendable {
    let type: ObjectIdentifier
    let name: String
}
