/// A member of stored JSON that another release may lack or write differently; it is blank then.
///
/// So a server reads the rows of an older and of a newer one beside it, but for what only they know.
@propertyWrapper public struct Lenient<Value: Codable & Blank & Sendable>: Sendable {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Lenient: Codable {
    public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Lenient: Equatable where Value: Equatable {}

extension KeyedDecodingContainer {
    /// What decoders that the compiler writes call for a lenient member.
    public func decode<Value>(_ type: Lenient<Value>.Type, forKey key: Key) throws -> Lenient<Value> {
        Lenient(wrappedValue: (try? decodeIfPresent(Value.self, forKey: key)) ?? Value())
    }
}

/// A type with an empty value.
public protocol Blank { init() }

extension Int: Blank {}
extension String: Blank {}
extension Array: Blank {}
extension Dictionary: Blank {}

extension Timestamp: Blank { public init() { self.init(microseconds: 0) } }
