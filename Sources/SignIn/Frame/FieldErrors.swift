public import Core

/// Errors of a form by field, in the order of the page.
public struct FieldErrors: Sendable {
    private var all: [(name: String, message: LocalizedText)] = []

    public init() {}

    public var isEmpty: Bool { all.isEmpty }

    /// Adds an error to a field that has none yet; the first error is kept.
    public mutating func add(_ name: String, _ message: any LocalizedTextConvertible) {
        if self[name] == nil { all.append((name, message.localizedText)) }
    }

    /// Adds `message` to the field if `value` is nil, because the input is invalid.
    public mutating func require<Value>(_ value: Value?, _ name: String, _ message: any LocalizedTextConvertible)
        -> Value?
    {
        if value == nil { add(name, message) }
        return value
    }

    /// Error of a field.
    public subscript(_ name: String) -> LocalizedText? { all.first { $0.name == name }?.message }

    /// Lines of the summary above the form, each linking to its field.
    public var summary: [FormError] { all.map { FormError(id: "field-\($0.name)", message: $0.message) } }
}
