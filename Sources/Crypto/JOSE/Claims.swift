public import Bytes

/// The claims of a JWT (RFC 7519 section 4), each read as exactly one type.
///
/// A required claim that is absent, null or of another type is a failure, never a check that is skipped.
public struct Claims: Sendable, Hashable {
    /// All claims, by name.
    public let members: [String: JSONValue]

    /// Why a claim could not be read.
    public enum Failure: Error, Hashable {
        /// The claim is not there.
        case missing(String)
        /// The claim is null or of another type, as is a number in quotes, with a point or beyond 64 bits.
        case wrongType(String)
        /// The number is no moment of the years 1970 to 9999.
        case outOfRange(String)
    }

    /// Claims from elsewhere than a JWT.
    public init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// A text.
    public func string(_ name: String) throws(Failure) -> String {
        guard case .string(let text) = try required(name) else { throw .wrongType(name) }
        return text
    }

    /// A whole number, written as one.
    public func integer(_ name: String) throws(Failure) -> Int64 {
        guard case .integer(let value) = try required(name) else { throw .wrongType(name) }
        return value
    }

    /// A moment (NumericDate of RFC 7519 section 2), of the years 1970 to 9999.
    ///
    /// Times are read by this alone, so that no number of somebody else's choice is ever added or subtracted.
    public func date(_ name: String) throws(Failure) -> NumericDate {
        guard let date = NumericDate(seconds: try integer(name)) else { throw .outOfRange(name) }
        return date
    }

    /// A moment that may be absent, but not of another type or beyond the calendar.
    public func optionalDate(_ name: String) throws(Failure) -> NumericDate? {
        members[name] == nil ? nil : try date(name)
    }

    /// `true` or `false`, also as a text: Apple writes either.
    public func boolean(_ name: String) throws(Failure) -> Bool {
        switch try required(name) {
        case .boolean(let value): value
        case .string("true"): true
        case .string("false"): false
        default: throw .wrongType(name)
        }
    }

    /// The audiences, whether written as one text or as an array of texts (RFC 7519 section 4.1.3).
    public func audience() throws(Failure) -> [String] {
        switch try required("aud") {
        case .string(let text):
            return [text]
        case .array(let values):
            let texts = values.compactMap(\.string)
            guard texts.count == values.count, !texts.isEmpty else { throw .wrongType("aud") }
            return texts
        default:
            throw .wrongType("aud")
        }
    }

    private func required(_ name: String) throws(Failure) -> JSONValue {
        guard let value = members[name] else { throw .missing(name) }
        return value
    }
}
