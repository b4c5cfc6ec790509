public import Bytes

/// The fields of a form or of a query string, in the order they came.
public struct Form: Sendable {
    public let fields: [FormCoding.Field]

    public init(_ fields: [FormCoding.Field]) {
        self.fields = fields
    }

    /// Decodes `bytes`; throws when an escape is malformed, a name is none, text is not UTF-8 or not stream-safe, or there
    /// are too many fields.
    public init(_ bytes: some Collection<UInt8>, maximumFields: Int = 128) throws(FormCoding.Failure) {
        fields = try FormCoding.decode(bytes, maximumFields: maximumFields)
    }

    /// The first value under `name`.
    ///
    /// Ask `repeatedName` before where a second one must not be overlooked.
    public subscript(_ name: String) -> String? {
        fields.first { $0.name.text.isExactly(name) }?.value
    }

    /// Every value under `name`, as a set of check boxes sends them.
    public func values(of name: String) -> [String] {
        fields.compactMap { $0.name.text.isExactly(name) ? $0.value : nil }
    }

    /// A name that stands there more than once, or nil (RFC 6749 section 3.1 forbids it in OAuth).
    public var repeatedName: FieldName? {
        var seen = Set<FieldName>(minimumCapacity: fields.count)
        return fields.first { !seen.insert($0.name).inserted }?.name
    }
}
