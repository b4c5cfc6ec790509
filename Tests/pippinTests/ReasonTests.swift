import Core
import Platform
import Testing

@testable import pippin

extension WholeProduct {
    /// Every form of every page that asks for a reason, sent as its page shows it.
    @Suite struct `A reason that a page asks for` {
        @Test func `V71: is in the event of what was done because of it`() async throws {
            try await withWalk { walk in
                let forms = walk.forms.filter { form in form.value.contains { $0.name.hasSuffix("reason") } }
                for (number, (path, fields)) in forms.sorted(by: { $0.key < $1.key }).enumerated() {
                    let reason = "because of \(number)"
                    let values = fields.map { field in
                        let isReason = field.name.hasSuffix("reason")
                        let value = field.name == "confirmation" ? walk.confirmations[path] : isReason ? reason : nil
                        return (name: field.name, value: Array(PercentCoding.encode(value ?? field.value).utf8))
                    }
                    if path.contains("/users/") { try plantConsent(in: walk.product) }
                    // A key that a connection uses is not removed.
                    if path.contains("/apple-keys/") { try walk.product.admin("DELETE FROM apple_connections") }
                    let answer = walk.post(path, walk.body(values))
                    #expect(answer.status == 303, "\(path): \(answer.status)")
                    let events = "SELECT FROM audit_events WHERE after->>'reason' = $1"
                    #expect(try !walk.product.admin(events, reason).isEmpty, "\(path) keeps no reason")
                    try walk.product.restore()
                    try walk.renew()
                }
                #expect(forms.count >= 15, "\(forms.keys.sorted())")
            }
        }

        /// What there is to be ended of Ada: a consent and a token.
        private func plantConsent(in product: Product) throws {
            try product.admin(
                """
                INSERT INTO consents (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip
                ) VALUES ('DEMOTEAM01', $1, 'example.acme.shop', true, true, false, now(), '')
                """, product.people.ada.rawValue)
            try product.admin(
                """
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
                ) VALUES ('DEMOTEAM01', decode('000102030405060708090a0b0c0d0e0f', 'hex'), $1, 'example.acme.shop', 'example.acme.web', now(), now(), now())
                """, product.people.ada.rawValue)
        }
    }
}
