public import Platform

// The clients of both teams. `com.acme.web` exists in Rival too: an identifier is unique in its team alone.
extension ClientID {
    public static let app = named("com.acme.app")
    public static let web = named("com.acme.web")
    /// Requires PKCE.
    public static let strict = named("com.acme.strict")
    /// Takes Apple's issuer and booleans in quotes.
    public static let legacy = named("com.acme.legacy")
    /// An App ID grouped under `com.acme.app`, and its Service ID.
    public static let sister = named("com.acme.sister")
    public static let sisterWeb = named("com.acme.sister.web")
    /// Another group of the same team, with a key of its own.
    public static let other = named("com.acme.other")
    public static let otherWeb = named("com.acme.other.web")
    /// An App ID whose sign-in is switched off.
    public static let off = named("com.acme.off")
    public static let offWeb = named("com.acme.off.web")
    public static let rivalApp = named("com.rival.app")

    public static func named(_ text: String) -> ClientID {
        guard let id = ClientID(rawValue: text) else { preconditionFailure("no client id: \(text)") }
        return id
    }
}

extension KeyID {
    /// Signs for the group of `com.acme.app`.
    public static let acme = named("ACMEKEY001")
    public static let acmeRevoked = named("ACMEKEY009")
    public static let acmeOther = named("ACMEKEY002")
    public static let rival = named("RIVALKEY01")

    public static func named(_ text: String) -> KeyID {
        guard let id = KeyID(rawValue: text) else { preconditionFailure("no key id: \(text)") }
        return id
    }
}

/// The people of Acme; Rival has an Ada too, with the same address.
public struct People: Sendable {
    public let ada: Subject
    public let ben: Subject
    public let cleo: Subject
    public let rivalAda: Subject

    /// What all of them sign in with, beside `<name>@acme.example`.
    public static let password = "correct horse battery"
}
