import Bytes
import Crypto

/// A JWT as tables that people read.
enum DecodedToken {
    /// The order in which claims are best explained; others follow by name.
    private static let order = [
        "alg", "kid", "iss", "aud", "sub", "iat", "exp", "auth_time", "nonce", "email", "email_verified",
        "is_private_email", "at_hash", "c_hash", "nonce_supported",
    ]
    private static let moments: Set<String> = ["iat", "exp", "auth_time", "nbf"]

    static func tables(_ token: UnverifiedJWT, notes: [String: Phrase]) -> [TrialStep.Table] {
        [
            TrialStep.Table(
                title: Phrase("console.trials.identity.header"),
                rows: rows(token.header.members, notes)
            ),
            TrialStep.Table(
                title: Phrase("console.trials.identity.claims"),
                rows: rows(token.unverifiedClaims.members, notes)
            ),
        ]
    }

    private static func rows(_ members: [String: JSONValue], _ notes: [String: Phrase]) -> [TrialStep.Row] {
        members.sorted { rank($0.key) < rank($1.key) }
            .map { name, value in TrialStep.Row(name, text(value), note(name, value, notes)) }
    }

    private static func rank(_ name: String) -> (Int, String) {
        (order.firstIndex(of: name) ?? order.count, name)
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: JSON.encode(value), as: UTF8.self)
    }

    private static func note(_ name: String, _ value: JSONValue, _ notes: [String: Phrase]) -> Phrase? {
        guard moments.contains(name), let date = value.integer.flatMap(NumericDate.init(seconds:)) else {
            return notes[name]
        }
        let moment = date.timestamp
        guard let note = notes[name] else {
            return Phrase("console.trials.identity.moment", ["moment": moment])
        }
        return Phrase("console.trials.identity.moment-note", ["moment": moment, "note": note])
    }
}
