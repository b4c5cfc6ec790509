/// Errors of a form or of a file, each with the path of what it concerns, in the order in which they are read.
///
/// Parsers throw them, pages show them beside their fields, and what is part of something larger puts them under its path.
public struct FieldErrors: Error, Hashable, Sendable {
    /// A message about one field.
    public struct Element: Hashable, Sendable {
        public let path: FieldPath
        public let message: LocalizedText
    }

    public private(set) var all: [Element] = []

    public init() {}

    /// A single error.
    public init(_ path: FieldPath, _ message: any LocalizedTextConvertible) { add(path, message) }

    public var isEmpty: Bool { all.isEmpty }

    public mutating func add(_ path: FieldPath, _ message: any LocalizedTextConvertible) {
        all.append(Element(path: path, message: message.localizedText))
    }

    public mutating func add(_ more: FieldErrors) { all += more.all }

    /// The errors of the part at `path`.
    public func under(_ path: FieldPath) -> FieldErrors { map { ($0.path.under(path), $0.message) } }

    /// Adds `message` if `value` is nil, because the input is invalid; a field that has an error already gets no second one.
    public mutating func require<Value>(_ value: Value?, _ path: FieldPath, _ message: any LocalizedTextConvertible)
        -> Value?
    {
        if value == nil, self[path] == nil { add(path, message) }
        return value
    }

    /// The parsed part at `path`, or nil after its errors are added.
    public mutating func collect<Value>(under path: FieldPath, _ parse: @autoclosure () throws(FieldErrors) -> Value)
        -> Value?
    {
        do { return try parse() } catch {
            add(error.under(path))
            return nil
        }
    }

    /// The first error of a field.
    public subscript(_ path: FieldPath) -> LocalizedText? { all.first { $0.path == path }?.message }

    /// Errors of a list's elements, with their positions.
    public func elements(of list: FieldPath) -> [(position: Int, message: LocalizedText)] {
        all.compactMap { error in error.path.position.flatMap { error.path == list[$0] ? ($0, error.message) : nil } }
    }

    /// Errors of a field and, if it is a list, of its elements, which come first.
    public func messages(of path: FieldPath) -> [LocalizedText] {
        elements(of: path).map(\.message) + [self[path]].compactMap(\.self)
    }

    /// The errors with other paths or messages.
    public func map(_ transform: (Element) -> (FieldPath, any LocalizedTextConvertible)) -> FieldErrors {
        var errors = FieldErrors()
        for error in all {
            let (path, message) = transform(error)
            errors.add(path, message)
        }
        return errors
    }
}
