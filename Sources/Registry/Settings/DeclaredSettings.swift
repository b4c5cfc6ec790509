public import Core
import Platform

/// The settings of an object by name, not yet parsed: as a form, a registry file, an offer or an audit event has them.
public typealias Typed = [String: JSONValue]

/// The settings of an object, each declared once: what says all of them is made from the declaration.
public protocol DeclaredSettings: Hashable, Sendable {
    /// Those of a new object that says nothing of them.
    init()

    /// In the order in which they are shown and read.
    static var all: [Setting<Self>] { get }
}

extension DeclaredSettings {
    public var typed: Typed { Dictionary(uniqueKeysWithValues: Self.all.map { ($0.name, $0.write(self)) }) }

    /// Parses all settings; what `typed` does not name is as in a new object.
    ///
    /// - Throws: `FieldErrors` with every error.
    public init(_ typed: Typed, policy: HostPolicy) throws(FieldErrors) {
        var reader = SettingReader(values: Self(), policy: policy)
        let typed = reader.values.typed.merging(typed) { $1 }
        for setting in Self.all { setting.read(typed[setting.name] ?? .null, &reader) }
        guard reader.errors.isEmpty else { throw reader.errors }
        self = reader.values
    }
}
