public import Bytes

/// The fields of a form or a query string, in the order received.
public struct Form: Sendable {
    public let fields: [FormCoding.Field]

    public init(_ fields: [FormCoding.Field]) { self.fields = fields }

    /// Decodes `bytes`; throws when an escape or a name is malformed, text is not UTF-8 or not stream-safe, or there
    /// are too many fields.
    public init(_ bytes: some Collection<UInt8>, maximumFields: Int = 128) throws(FormCoding.Failure) {
        fields = try FormCoding.decode(bytes, maximumFields: maximumFields)
    }

    /// The first value under `name`.
    ///
    /// Check `repeatedName` first when a second value must not be ignored.
    public subscript(_ name: String) -> String? { fields.first { $0.name.text.isExactly(name) }?.value }

    /// Every value under `name`, such as those of a group of check boxes.
    public func values(of name: String) -> [String] {
        fields.compactMap { $0.name.text.isExactly(name) ? $0.value : nil }
    }

    /// A name that occurs more than once, or nil (RFC 6749 section 3.1 forbids repetition in OAuth).
    public var repeatedName: FieldName? {
        var seen = Set<FieldName>(minimumCapacity: fields.count)
        return fields.first { !seen.insert($0.name).inserted }?.name
    }
}

/// A file uploaded with a form (RFC 7578).
public struct Upload: Sendable {
    /// The name of its form field.
    public let name: String
    /// The file name the browser sends, which does not indicate the actual content.
    public let fileName: String
    public internal(set) var octets: [UInt8]
}
