import Core
import Crypto

/// Decodes a JWT to tables of its header and claims.
enum DecodedToken {
    /// Display order of header parameters and claims; others follow by name.
    private static let order = [
        "alg", "kid", "iss", "aud", "sub", "iat", "exp", "auth_time", "nonce", "email", "email_verified",
        "is_private_email", "at_hash", "c_hash", "nonce_supported",
    ]
    private static let moments: Set<String> = ["iat", "exp", "auth_time", "nbf"]

    static func tables(_ token: UnverifiedJWT, notes: [String: Message]) -> [TestSignInStep.Table] {
        [
            TestSignInStep.Table(
                title: Message("console.test-sign-ins.identity.header"), rows: rows(token.header.members, notes)),
            TestSignInStep.Table(
                title: Message("console.test-sign-ins.identity.claims"),
                rows: rows(token.unverifiedClaims.members, notes)),
        ]
    }

    private static func rows(_ members: [String: JSONValue], _ notes: [String: Message]) -> [TestSignInStep.Row] {
        members.sorted { rank($0.key) < rank($1.key) }.map { name, value in
            TestSignInStep.Row(name, text(value), note(name, value, notes))
        }
    }

    private static func rank(_ name: String) -> (Int, String) { (order.firstIndex(of: name) ?? order.count, name) }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: JSON.encode(value), as: UTF8.self)
    }

    private static func note(_ name: String, _ value: JSONValue, _ notes: [String: Message]) -> Message? {
        guard moments.contains(name), let date = value.integer.flatMap(NumericDate.init(seconds:)) else {
            return notes[name]
        }
        let moment = date.timestamp
        guard let note = notes[name] else {
            return Message("console.test-sign-ins.identity.moment", ["moment": moment])
        }
        return Message("console.test-sign-ins.identity.moment-note", ["moment": moment, "note": note])
    }
}
