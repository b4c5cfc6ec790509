public import Core

/// The claims of a JWT (RFC 7519 section 4), each read as exactly one type.
///
/// A required claim that is absent, null, or of another type is an error; its check is never skipped.
public struct Claims: Sendable, Hashable {
    /// All claims, by name.
    public let members: [String: JSONValue]

    /// The reason a claim could not be read.
    public enum Failure: Error, Hashable {
        /// The claim is absent.
        case missing(String)
        /// The claim is null or of another type, such as a number in quotes, or an integer beyond 64 bits.
        case wrongType(String)
        /// The number is not a date of the years 1970 to 9999.
        case outOfRange(String)
    }

    /// Creates claims from a source other than a JWT.
    public init(_ members: [String: JSONValue]) { self.members = members }

    /// Reads a string claim.
    public func string(_ name: String) throws(Failure) -> String {
        guard case .string(let text) = try required(name) else { throw .wrongType(name) }
        return text
    }

    /// Reads an integer claim, which must be written without decimal point and exponent.
    public func integer(_ name: String) throws(Failure) -> Int64 {
        guard case .integer(let value) = try required(name) else { throw .wrongType(name) }
        return value
    }

    /// Reads a date claim (NumericDate of RFC 7519 section 2) of the years 1970 to 9999, whose fraction is dropped.
    ///
    /// Dates are read only here, so that no unchecked number from a token is ever added or subtracted.
    public func date(_ name: String) throws(Failure) -> NumericDate {
        let value = try required(name)
        if let date = value.floor.flatMap(NumericDate.init(seconds:)) { return date }
        switch value {
        case .integer, .number: throw .outOfRange(name)
        default: throw .wrongType(name)
        }
    }

    /// Reads a boolean claim, given as a boolean or as a string, because Apple sends both forms.
    public func boolean(_ name: String) throws(Failure) -> Bool {
        switch try required(name) {
        case .boolean(let value): value
        case .string("true"): true
        case .string("false"): false
        default: throw .wrongType(name)
        }
    }

    /// Reads the audiences, given as one string or as an array of strings (RFC 7519 section 4.1.3).
    public func audience() throws(Failure) -> [String] {
        switch try required("aud") {
        case .string(let text): return [text]
        case .array(let values):
            let texts = values.compactMap(\.string)
            guard texts.count == values.count, !texts.isEmpty else { throw .wrongType("aud") }
            return texts
        default: throw .wrongType("aud")
        }
    }

    private func required(_ name: String) throws(Failure) -> JSONValue {
        guard let value = members[name] else { throw .missing(name) }
        return value
    }
}
