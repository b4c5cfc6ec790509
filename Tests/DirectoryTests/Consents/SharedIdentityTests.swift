import Platform
import Testing

@testable import Directory
@testable import OAuth

@Suite struct `What an app learns` {
    private static let own = EmailAddress(rawValue: "ada@acme.example")
    private static let relay = EmailAddress(rawValue: "abcdefgh12345678@relay.example")
    private static let name = PersonName(given: "Countess", family: "Ada")

    private static func scope(name: Bool = false, email: Bool = false) -> AuthorizationRequest.Scope {
        AuthorizationRequest.Scope(name: name, email: email)
    }

    struct Case: Sendable, CustomStringConvertible {
        let choice: Consent.EmailChoice
        var scope = AuthorizationRequest.Scope.all
        var email: EmailAddress? = own
        var isVerified = true
        var sharedName: PersonName? = name
        /// What follows: the claims' address and whether it is private and verified, then `user`'s two members.
        let claims: (address: EmailAddress?, isPrivate: Bool?, isVerified: Bool?)
        let user: (email: EmailAddress?, name: PersonName?)

        var description: String { "\(choice), scope \(scope.text), verified \(isVerified)" }
    }

    @Test(arguments: [
        Case(choice: .shared, claims: (own, false, true), user: (own, name)),
        Case(choice: .shared, isVerified: false, claims: (own, false, false), user: (own, name)),
        Case(choice: .hidden, claims: (relay, true, true), user: (relay, name)),
        Case(choice: .hidden, isVerified: false, claims: (relay, true, false), user: (relay, name)),
        Case(choice: .withheld, claims: (nil, nil, nil), user: (nil, name)),
        // What was granted once is claimed whatever is asked; `user` answers what is asked.
        Case(choice: .shared, scope: Self.scope(), claims: (own, false, true), user: (nil, nil)),
        Case(choice: .shared, scope: Self.scope(name: true), claims: (own, false, true), user: (nil, name)),
        Case(choice: .hidden, scope: Self.scope(email: true), claims: (relay, true, true), user: (relay, nil)),
        // Asking again for what was not granted changes nothing.
        Case(choice: .withheld, scope: Self.scope(email: true), claims: (nil, nil, nil), user: (nil, nil)),
        Case(choice: .shared, sharedName: nil, claims: (own, false, true), user: (own, nil)),
        // Who has no address has none to hide.
        Case(choice: .shared, email: nil, claims: (nil, nil, nil), user: (nil, name)),
        Case(choice: .hidden, email: nil, claims: (nil, nil, nil), user: (nil, name)),
    ]) func `follows from consent and scopes`(row: Case) {
        let user = User(
            subject: Subject(hexadecimal: "0"), name: .none, email: row.email, isEmailVerified: row.isVerified,
            isEmailPrivate: false, relayAddress: Self.relay, createdAt: .noon, lastSignInAt: nil, suspendedAt: nil,
            credentialsVersion: 0)
        let consent = Consent(
            appID: .app, name: row.sharedName, email: row.choice, grantedAt: .noon, deliveredAt: nil,
            forwardsMail: true, provider: nil, upstreamEmail: nil)

        let shared = SharedIdentity(of: user, under: consent, asking: row.scope)

        #expect(shared.email?.address == row.claims.address)
        #expect(shared.email?.isPrivate == row.claims.isPrivate)
        #expect(shared.email?.isVerified == row.claims.isVerified)
        #expect(shared.userEmail?.address == row.user.email)
        #expect(shared.userName == row.user.name)
    }

    @Test(arguments: ["relay.example", "a.b"]) func `as a relay domain may be any host name`(name: String) {
        #expect(RelayDomain(name)?.name == name)
    }

    @Test(arguments: ["", "relay", "relay example.com", "-relay.example", "relay@example.com", "relay.example\n"])
    func `as a relay domain may not be anything else`(name: String) { #expect(RelayDomain(name) == nil) }
}
