import Core
import Crypto
import Platform
import TestAuthenticator
import Testing

@testable import Directory

/// Second factors in a world of their own; Ada and Ben are of Acme, and Rival has an Ada too.
struct FactorEnvironment: Sendable {
    static let origin = "https://id.acme.example"
    static let browser = "browser-1"

    let environment: TestEnvironment
    let keyRing: KeyRing
    let ada: Subject
    let ben: Subject
    let rivalAda: Subject
    let party: RelyingParty

    var totp: TOTPStore { TOTPStore(environment.database, keyRing: keyRing) }
    var codes: RecoveryCodeStore { RecoveryCodeStore(environment.database, keyRing: keyRing) }
    var factors: FactorStore { FactorStore(environment.database) }
    var signIn: FactorSignIn { FactorSignIn(environment.database, keyRing: keyRing) }
    var passkeys: PasskeySignIn { PasskeySignIn(environment.database, party: party, keyRing: keyRing) }
    var offers: TOTPOffer.Maker { TOTPOffer.Maker(keyRing: keyRing) }

    /// Gives Ada an app, confirmed long ago, and returns its secret with her recovery codes.
    @discardableResult func enrolTOTP(_ subject: Subject? = nil, in team: TeamID = .acme) async throws -> (
        secret: TOTPSecret, codes: [RecoveryCode]
    ) {
        let secret = TOTPSecret(random: .system)
        let codes = try await totp.enrol(
            secret, provedBy: TOTP.code(of: secret, step: Self.step - 100), of: subject ?? ada, in: team, from: .test,
            at: Timestamp.noon - .seconds(3000))
        return (secret, codes ?? [])
    }

    static let step = TOTP.step(atSeconds: Timestamp.noon.seconds)

    func prove(
        _ code: FactorSignIn.Code, of subject: Subject? = nil, interaction: String = "attempt-1",
        in team: TeamID = .acme, at now: Timestamp = .noon
    ) async throws -> FactorResult {
        try await signIn.prove(code, of: subject ?? ada, interaction: interaction, in: team, from: .test, at: now)
    }

    func authenticator() throws -> SoftAuthenticator { try SoftAuthenticator(party: party.id, origin: Self.origin) }

    /// A key of Ada's.
    func key() async throws -> SoftAuthenticator {
        var key = try authenticator()
        try await register(&key)
        return key
    }

    /// A code of the app with that secret, so many steps from noon.
    func code(of secret: TOTPSecret, after steps: Int = 0) -> String { TOTP.code(of: secret, step: Self.step + steps) }

    /// What Ada has.
    func enrolled() async throws -> EnrolledFactors { try await factors.enrolled(of: ada, in: .acme) }

    /// Registers a key, and tells it whose it is.
    @discardableResult func register(
        _ key: inout SoftAuthenticator, for subject: Subject? = nil, named name: String = "Ada's phone",
        browser: String = Self.browser, in team: TeamID = .acme, at now: Timestamp = .noon
    ) async throws -> [RecoveryCode]? {
        let subject = subject ?? ada
        let challenge = passkeys.challenges.make(.registration(subject), browser: Self.browser, in: .acme, at: .noon)
        let codes = try await register(
            key.register(challenge: challenge), for: subject, named: name, browser: browser, in: team, at: now)
        key.userHandle = try await passkeys.passkeys.handle(of: subject, in: team)
        return codes
    }

    /// Hands over what a browser answered.
    @discardableResult func register(
        _ response: SoftAuthenticator.Registered, for subject: Subject? = nil, named name: String = "Key",
        browser: String = Self.browser, in team: TeamID = .acme, at now: Timestamp = .noon
    ) async throws -> [RecoveryCode]? {
        try await passkeys.register(
            RegistrationResponse(
                clientDataJSON: response.clientDataJSON, authenticatorData: response.authenticatorData),
            named: try #require(PasskeyName(name)), transports: ["internal"], for: subject ?? ada, browser: browser,
            in: team, from: .test, at: now)
    }

    /// What a browser hands over for a challenge made for `purpose`.
    func answer(
        _ purpose: PasskeyChallenges.Purpose, by key: SoftAuthenticator, browser: String = Self.browser,
        in team: TeamID = .acme, at now: Timestamp = .noon
    ) throws -> AssertionResponse {
        let challenge = passkeys.challenges.make(purpose, browser: browser, in: team, at: now)
        let response = try key.assert(challenge: challenge)
        return AssertionResponse(
            credentialID: key.credentialID, clientDataJSON: response.clientDataJSON,
            authenticatorData: response.authenticatorData, signature: response.signature, userHandle: key.userHandle)
    }

    func signIn(
        _ response: AssertionResponse, browser: String = Self.browser, in team: TeamID = .acme,
        at now: Timestamp = .noon
    ) async throws -> Subject? {
        try await passkeys.signIn(response, browser: browser, in: team, from: .test, at: now)?.subject
    }

    func prove(_ response: AssertionResponse, of subject: Subject? = nil, in team: TeamID = .acme) async throws -> Bool
    { try await passkeys.prove(response, of: subject ?? ada, browser: Self.browser, in: team, from: .test, at: .noon) }
}

/// Lends `body` a world with people who may have factors.
func withFactors(_ body: @escaping @Sendable (FactorEnvironment) async throws -> Void) async throws {
    try await withEnvironment { environment in
        try await body(
            FactorEnvironment(
                environment: environment, keyRing: KeyRing(current: try MasterKey.generate(id: "test")),
                ada: try await environment.add("Ada"), ben: try await environment.add("Ben"),
                rivalAda: try await environment.add("Ada", to: .rival),
                party: try #require(RelyingParty(publicURL: FactorEnvironment.origin))))
    }
}

/// The refusal that `body` throws, or nil.
func refusal<Value: Sendable>(of body: () async throws -> Value) async throws -> FactorRefusal? {
    do {
        _ = try await body()
        return nil
    } catch let refusal as FactorRefusal { return refusal }
}
