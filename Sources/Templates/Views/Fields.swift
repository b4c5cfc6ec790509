public import Core

/// The names a template may use, each with a closure that reads it from a `Value`.
///
/// Built once, as a `static let`; rendering a page looks up no names.
/// A type must not contain its own fields again, directly or through others.
///
/// Inlinable because the closures are then specialized for the caller's types: 100 rows of 4 cells took 44 µs
/// without and take 28 µs with it.
public struct Fields<Value>: Sendable {
    @usableFromInline private(set) var schema = Schema(of: Value.self)

    /// Creates fields without names.
    public init() {}

    /// Creates the fields that `declare` declares, one statement each: `$0.text("name") { $0.name }`.
    public init(_ declare: (inout Fields) -> Void) { declare(&self) }

    /// Returns these fields and those that `declare` declares.
    public func with(_ declare: (inout Fields) -> Void) -> Fields {
        var fields = self
        declare(&fields)
        return fields
    }

    /// Declares a text, escaped for its position.
    @inlinable public mutating func text(_ name: String, _ read: @escaping @Sendable (Value) -> String) {
        declare(name, .text, .text { scope in (scope as? ValueScope<Value>).map { read($0.value) } })
    }

    /// Declares a text that may be absent: it writes nothing then, and `{{#if}}` is false.
    @inlinable public mutating func optionalText(_ name: String, _ read: @escaping @Sendable (Value) -> String?) {
        declare(name, .optionalText, .text { scope in (scope as? ValueScope<Value>).flatMap { read($0.value) } })
    }

    /// Declares a localized text in the page's language, escaped for its position.
    @inlinable public mutating func words(
        _ name: String, _ read: @escaping @Sendable (Value) -> any LocalizedTextConvertible
    ) { declare(name, .words, .words { scope in (scope as? ValueScope<Value>).map { read($0.value).localizedText } }) }

    /// Declares a localized text of one type, which is read without a box.
    @inlinable public mutating func words<Text: LocalizedTextConvertible>(
        _ name: String, _ read: @escaping @Sendable (Value) -> Text
    ) { declare(name, .words, .words { scope in (scope as? ValueScope<Value>).map { read($0.value).localizedText } }) }

    /// Declares a localized text of one type that may be absent.
    @inlinable public mutating func optionalWords<Text: LocalizedTextConvertible>(
        _ name: String, _ read: @escaping @Sendable (Value) -> Text?
    ) {
        declare(
            name, .optionalWords,
            .words { scope in (scope as? ValueScope<Value>).flatMap { read($0.value)?.localizedText } })
    }

    /// Declares a localized text that may be absent: it writes nothing then, and `{{#if}}` is false.
    @inlinable public mutating func optionalWords(
        _ name: String, _ read: @escaping @Sendable (Value) -> (any LocalizedTextConvertible)?
    ) {
        declare(
            name, .optionalWords,
            .words { scope in (scope as? ValueScope<Value>).flatMap { read($0.value)?.localizedText } })
    }

    /// Declares a condition for `{{#if}}`.
    @inlinable public mutating func flag(_ name: String, _ read: @escaping @Sendable (Value) -> Bool) {
        declare(name, .flag, .flag { scope in (scope as? ValueScope<Value>).map { read($0.value) } })
    }

    /// Declares a whole number, written in decimal digits.
    @inlinable public mutating func integer(_ name: String, _ read: @escaping @Sendable (Value) -> Int) {
        declare(name, .integer, .integer { scope in (scope as? ValueScope<Value>).map { read($0.value) } })
    }

    /// Declares markup that is written unescaped.
    @inlinable public mutating func html(_ name: String, _ read: @escaping @Sendable (Value) -> SafeHTML) {
        declare(name, .html, .text { scope in (scope as? ValueScope<Value>).map { read($0.value).markup } })
    }

    /// Declares a URL that the caller has vetted.
    @inlinable public mutating func url(_ name: String, _ read: @escaping @Sendable (Value) -> SafeURL) {
        declare(name, .url, .text { scope in (scope as? ValueScope<Value>).map { read($0.value).text } })
    }

    /// Declares rows for `{{#each}}`; `{{#if}}` is true if there are any.
    @inlinable public mutating func list<Row>(
        _ name: String, _ fields: Fields<Row>, _ read: @escaping @Sendable (Value) -> [Row],
    ) {
        let reader = Reader.list { scope, body in
            guard let holder = scope as? ValueScope<Value> else { return false }
            let rows = read(holder.value)
            for row in rows where !body(ValueScope(row)) { break }
            return !rows.isEmpty
        }
        declare(name, .list(fields.schema), reader)
    }

    /// Declares a group of names for `{{group.name}}` or `{{#with group}}`.
    @inlinable public mutating func group<Group>(
        _ name: String, _ fields: Fields<Group>, _ read: @escaping @Sendable (Value) -> Group,
    ) {
        let reader = Reader.group { scope in (scope as? ValueScope<Value>).map { ValueScope(read($0.value)) } }
        declare(name, .group(fields.schema), reader)
    }

    /// Declares a group that may be absent: `{{#if}}` and `{{#with}}` are false then, its values write nothing.
    @inlinable public mutating func optionalGroup<Group>(
        _ name: String, _ fields: Fields<Group>, _ read: @escaping @Sendable (Value) -> Group?,
    ) {
        let reader = Reader.group { scope in
            (scope as? ValueScope<Value>).flatMap { read($0.value) }.map { ValueScope($0) }
        }
        declare(name, .optionalGroup(fields.schema), reader)
    }

    @usableFromInline mutating func declare(_ name: String, _ kind: FieldKind, _ reader: Reader) {
        schema.declare(name, kind, reader)
    }
}

/// A field that a template uses.
struct FieldUse: Hashable, Sendable {
    let type: ObjectIdentifier
    let name: String
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
