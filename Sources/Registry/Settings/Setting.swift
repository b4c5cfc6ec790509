public import Core
import Platform

/// One setting of an object of the registry, by the name that forms, files, offers and audit events have for it.
public struct Setting<Values: Sendable>: Sendable {
    public enum Kind: Sendable {
        /// A text of one line, which may be code, such as an identifier; one that is optional may be empty.
        case line(isCode: Bool, isOptional: Bool)
        /// A list with one element a line.
        case lines(Int)
        /// A list with one element in each of several inputs.
        case rows(Int)
        /// One of these values.
        case choice([String])
        /// A list that is one of these, each with the name that forms have for it.
        case combination([(name: String, elements: [String])])
        /// A whole number in this range.
        case number(ClosedRange<Int>)
        case flag
    }

    public let name: String
    public let kind: Kind
    let read: @Sendable (JSONValue, inout SettingReader<Values>) -> Void
    /// The value as it is typed.
    public let write: @Sendable (Values) -> JSONValue

    private init(
        _ name: String, _ kind: Kind,
        read: @escaping @Sendable (JSONValue, inout SettingReader<Values>) throws(ValidationError) -> Void,
        write: @escaping @Sendable (Values) -> JSONValue
    ) {
        (self.name, self.kind, self.write) = (name, kind, write)
        self.read = { typed, reader in
            do throws(ValidationError) { try read(typed, &reader) } catch { reader.errors.add(FieldPath(name), error) }
        }
    }
}

/// What of an object's settings is read so far, in the order of their declaration.
public struct SettingReader<Values: Sendable>: Sendable {
    public internal(set) var values: Values
    public let policy: HostPolicy
    var errors = FieldErrors()

    /// Whether the setting has an error, so that others are not compared with it.
    func isFaulty(_ name: String) -> Bool { errors.all.contains { $0.path.name == name } }
}

extension Setting {
    /// Parses an element, or the whole text of a line, which is read as code if it is some.
    public typealias Parse<Value> = @Sendable (String, SettingReader<Values>) throws(ValidationError) -> Value

    public static func line<Value: CustomStringConvertible & Sendable>(
        _ name: String, _ member: any WritableKeyPath<Values, Value> & Sendable, isCode: Bool = false,
        _ parse: @escaping Parse<Value>
    ) -> Setting {
        Setting(
            name, .line(isCode: isCode, isOptional: false),
            read: { typed, reader throws(ValidationError) in
                let text = typed.string ?? ""
                reader.values[keyPath: member] = try parse(isCode ? text.typedCode : text, reader)
            }, write: { .string($0[keyPath: member].description) })
    }

    /// A line of code that a new object does not have yet, or that is empty for none.
    public static func line<Value: CustomStringConvertible & Sendable>(
        _ name: String, _ member: any WritableKeyPath<Values, Value?> & Sendable, isOptional: Bool = false,
        _ parse: @escaping Parse<Value>
    ) -> Setting {
        Setting(
            name, .line(isCode: true, isOptional: isOptional),
            read: { typed, reader throws(ValidationError) in
                let text = (typed.string ?? "").typedCode
                reader.values[keyPath: member] = try isOptional && text.isEmpty ? nil : parse(text, reader)
            }, write: { .string($0[keyPath: member]?.description ?? "") })
    }

    /// - Parameters:
    ///   - inRows: whether each element has an input of its own; otherwise each is a line of one.
    ///   - isSorted: whether the order of the elements says nothing.
    ///   - combinations: those between which forms let choose, if the list is not typed.
    ///   - refusal: the error of an empty list; nil if it may be empty.
    public static func list<Element: Hashable & CustomStringConvertible & Sendable>(
        _ name: String, _ member: any WritableKeyPath<Values, [Element]> & Sendable, atMost limit: Int,
        inRows: Bool = false, isSorted: Bool = false, ifEmpty refusal: ValidationError? = nil,
        combinations: [(name: String, elements: [Element])] = [], _ parse: @escaping Parse<Element>
    ) -> Setting {
        let kind: Kind = inRows ? .rows(limit) : .lines(limit)
        return Setting(
            name,
            combinations.isEmpty ? kind : .combination(combinations.map { ($0.name, $0.elements.map(\.description)) }),
            read: { typed, reader throws(ValidationError) in
                if let refusal, typed.strings.isEmpty { throw refusal }
                let before = reader
                let elements = reader.errors.checkEach(FieldPath(name), of: typed.strings, atMost: limit) {
                    text throws(ValidationError) in try parse(text.typedCode, before)
                }
                let sorted = elements.sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
                reader.values[keyPath: member] = isSorted ? sorted : elements
            }, write: { .strings($0[keyPath: member].map(\.description)) })
    }

    public static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ member: any WritableKeyPath<Values, Value> & Sendable
    ) -> Setting {
        let all = Value.allCases.map(\.rawValue)
        return Setting(
            name, .choice(all),
            read: { typed, reader throws(ValidationError) in
                reader.values[keyPath: member] = try Value(choice: typed.string ?? "")
            }, write: { .string($0[keyPath: member].rawValue) })
    }

    public static func number(
        _ name: String, _ member: any WritableKeyPath<Values, Int> & Sendable, in range: ClosedRange<Int>
    ) -> Setting {
        Setting(
            name, .number(range),
            read: { typed, reader throws(ValidationError) in
                guard let number = typed.integer.flatMap(Int.init(exactly:)), range.contains(number) else {
                    throw .outside(range)
                }
                reader.values[keyPath: member] = number
            }, write: { .integer(Int64($0[keyPath: member])) })
    }

    public static func flag(_ name: String, _ member: any WritableKeyPath<Values, Bool> & Sendable) -> Setting {
        Setting(
            name, .flag, read: { typed, reader in reader.values[keyPath: member] = typed.boolean ?? false },
            write: { .boolean($0[keyPath: member]) })
    }
}

extension RawRepresentable<String> where Self: CaseIterable {
    /// The value of this name.
    init(choice text: String) throws(ValidationError) {
        guard let value = Self(rawValue: text) else {
            throw .unknownValue(text, allowed: Self.allCases.map(\.rawValue))
        }
        self = value
    }
}
