/// Coding of `application/x-www-form-urlencoded` (WHATWG URL standard), for bodies and query strings.
public enum FormCoding {
    /// The reason a form was rejected.
    public enum Failure: Error, Equatable, Sendable {
        case malformedEscape
        /// A name that contains anything but printable ASCII or is longer than `FieldName.maximumCount`.
        case malformedName
        case notUTF8
        /// More than 30 combining marks in a row (Unicode UAX #15, Stream-Safe Text Format).
        case notStreamSafe
        case tooManyFields(limit: Int)
    }

    /// One name-value pair of a form.
    public struct Field: Equatable, Sendable {
        public let name: FieldName
        public let value: String

        public init(_ name: FieldName, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Decodes the pairs in wire order; skips empty pairs and keeps repeated names, which the caller has to check.
    @inlinable public static func decode(_ bytes: some Collection<UInt8>, maximumFields: Int = 128) throws(Failure)
        -> [Field]
    { try bytes.withSpan { span throws(Failure) in try decode(span, maximumFields: maximumFields) } }

    @usableFromInline static func decode(_ bytes: Span<UInt8>, maximumFields: Int) throws(Failure) -> [Field] {
        var fields: [Field] = []
        var start = 0
        while start < bytes.count {
            let end = position(of: UInt8(ascii: "&"), in: bytes, from: start)
            if start != end {
                guard fields.count < maximumFields else { throw .tooManyFields(limit: maximumFields) }
                fields.append(try field(bytes.extracting(start..<end)))
            }
            start = end + 1
        }
        return fields
    }

    /// Encodes `fields`; a space becomes `%20`, which every parser accepts.
    public static func encode(_ fields: some Sequence<Field>) -> String {
        encode(fields.map { (name: $0.name.text, value: $0.value) })
    }

    /// Encodes pairs whose names are chosen by the server and therefore need no check as `FieldName`.
    public static func encode(_ fields: some Sequence<(name: String, value: String)>) -> String {
        var bytes: [UInt8] = []
        for field in fields {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            PercentCoding.append(field.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            PercentCoding.append(field.value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func field(_ pair: Span<UInt8>) throws(Failure) -> Field {
        let equals = position(of: UInt8(ascii: "="), in: pair, from: 0)
        let value = equals < pair.count ? try text(pair.extracting((equals + 1)...)) : ""
        return Field(try name(pair.extracting(..<equals)), value)
    }

    private static func name(_ coded: Span<UInt8>) throws(Failure) -> FieldName {
        guard let name = FieldName(try octets(coded)) else { throw .malformedName }
        return name
    }

    private static func text(_ coded: Span<UInt8>) throws(Failure) -> String {
        let octets = try octets(coded)
        guard let text = String(validUTF8: octets.span) else { throw .notUTF8 }
        guard text.isStreamSafe else { throw .notStreamSafe }
        return text
    }

    private static func octets(_ coded: Span<UInt8>) throws(Failure) -> [UInt8] {
        guard let bytes = PercentCoding.decode(coded, plus: UInt8(ascii: " ")) else { throw .malformedEscape }
        return bytes
    }

    /// Index of the first `octet` at or after `start`, or the end of `bytes`.
    private static func position(of octet: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position] != octet { position += 1 }
        return position
    }
}
