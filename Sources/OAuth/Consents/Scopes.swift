/// User data that an app may request besides the identity: Apple's `scope`.
public struct Scopes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let name = Scopes(rawValue: 1)
    public static let email = Scopes(rawValue: 2)
}
