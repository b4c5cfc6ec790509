public import Core

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
    public subscript(_ name: String) -> String? { fields.first { $0.name.text.isExactly(name) }?.value }

    /// Every value under `name`, such as those of a group of check boxes.
    public func values(of name: String) -> [String] {
        fields.compactMap { $0.name.text.isExactly(name) ? $0.value : nil }
    }
}
