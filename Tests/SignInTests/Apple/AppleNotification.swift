import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A site whose Apple has published the key that tests sign with, and whose app wants to be told.
func withNotifications(_ body: (TestSite) async throws -> Void) async throws {
    try await withApple { site in
        site.script.set(.newKey, at: .keys)
        try site.listen()
        try await body(site)
    }
}

/// The same, told by the simulator itself.
func withSimulator(_ body: (TestSite) async throws -> Void) async throws {
    try await withNotifications { site in
        try site.admin(
            """
            UPDATE app_ids SET notification_url = 'http://127.0.0.1:' || $1 || $2 WHERE team_id = 'APPLESIM00'
            """, String(site.port), `Apple's notifications`.path)
        try site.setMode("sandbox", of: .appleSide)
        try await body(site)
    }
}

extension TestSite {
    /// Lets sign-ins lie before notices: those are dated by the database's clock, these by the test's.
    func predate() throws {
        try teams.admin("UPDATE upstream_identities SET last_seen_at = '2000-01-01', last_login_at = '2000-01-01'")
        try teams.admin("UPDATE upstream_tokens SET created_at = '2000-01-01'")
        try teams.admin("UPDATE consents SET granted_at = '2000-01-01'")
        try teams.admin("UPDATE sessions SET created_at = '2000-01-01'")
    }

    /// Something that happens to somebody, so long after all that was before that no clock hides the order.
    func event(_ type: String, of performer: Performer = .regular, after delay: Duration = .seconds(10)) -> JSONValue {
        [
            "type": .string(type), "sub": .string(performer.subject.rawValue),
            "event_time": .integer((teams.clock.now + delay).microseconds / 1000),
        ]
    }

    /// Posts a notice as Apple does, with what a test changes in it.
    func notification(
        _ events: JSONValue, id: String = "notice-1", to path: String = `Apple's notifications`.path,
        signedBy key: RSASigningKey = TestKeys.extra, key name: String = "EXTRAKEY01",
        _ change: (inout [String: JSONValue]) -> Void = { _ in }
    ) throws -> Answer {
        let body = try notificationBody(events, id: id, signedBy: key, key: name, change)
        return try ask("POST", path, ["Content-Type: application/json"], body: body)
    }

    /// A notice as Apple writes it, with what a test changes in it.
    func notificationBody(
        _ events: JSONValue, id: String = "notice-1", signedBy key: RSASigningKey = TestKeys.extra,
        key name: String = "EXTRAKEY01", _ change: (inout [String: JSONValue]) -> Void = { _ in }
    ) throws -> String {
        let now = Int64(teams.clock.now.seconds)
        var claims: [String: JSONValue] = [
            "iss": .string(teams.server.base(of: .appleSide)), "aud": "com.acme.app", "jti": .string(id),
            "iat": .integer(now), "exp": .integer(now + 86_400), "events": events,
        ]
        change(&claims)
        let token = try JWTSigner(key: key, keyID: name).sign(JSON.encode(JSONValue.object(claims)))
        return String(decoding: JSON.encode(["payload": token]), as: UTF8.self)
    }
}
