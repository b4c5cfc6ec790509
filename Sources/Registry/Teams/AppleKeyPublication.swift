public import Postgres

/// Whether the key set of a team that is connected to Apple holds Apple's keys, too.
///
/// Backends of native apps verify the tokens of devices by them. A client with Apple's issuer cannot tell such a token
/// from one of Pippin's.
public enum AppleKeyPublication: String, SQLText, CaseIterable, Sendable {
    /// While no Service ID has Apple's issuer.
    case automatic
    /// Also beside Service IDs with Apple's issuer.
    case always
    case off

    public func isOn(besideAppleIssuer: Bool) -> Bool { self == .always || self == .automatic && !besideAppleIssuer }

    /// Whether to choose this after `old` takes a confirmation: an Apple token then passes where Apple's issuer is
    /// expected, whatever has ended here.
    public func takesConfirmation(after old: AppleKeyPublication?) -> Bool { self == .always && old != .always }
}
