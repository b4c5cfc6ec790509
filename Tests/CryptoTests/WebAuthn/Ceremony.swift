import Core
import Crypto
import TestAuthenticator
import Testing

/// One site, one key, and the challenges of a test.
struct Ceremony {
    static let origin = "https://id.acme.example"
    static let challenge = [UInt8](repeating: 7, count: 32)

    let party: RelyingParty
    var key: SoftAuthenticator

    init(signsWithRSA: Bool = false) throws {
        party = try #require(RelyingParty(publicURL: Self.origin))
        key = try SoftAuthenticator(party: party.id, origin: Self.origin, signsWithRSA: signsWithRSA)
    }

    func register(_ response: SoftAuthenticator.Registered? = nil, requiresUserVerification: Bool = false)
        throws(WebAuthnFailure) -> Credential
    {
        let response = response ?? key.register(challenge: Self.challenge)
        return try party.register(
            RegistrationResponse(
                clientDataJSON: response.clientDataJSON, authenticatorData: response.authenticatorData),
            challenge: Self.challenge, requiresUserVerification: requiresUserVerification)
    }

    func verify(_ response: SoftAuthenticator.Asserted, of credential: Credential, knownCount: UInt32? = nil)
        throws(WebAuthnFailure) -> Assertion
    {
        try party.verify(
            AssertionResponse(
                credentialID: credential.id, clientDataJSON: response.clientDataJSON,
                authenticatorData: response.authenticatorData, signature: response.signature, userHandle: nil),
            of: credential.key, challenge: Self.challenge, knownCount: knownCount ?? credential.signCount,
            isBackupEligible: credential.isBackupEligible, requiresUserVerification: true)
    }
}

/// The failure that `body` throws, or nil.
func failure<Value>(of body: () throws -> Value) throws -> WebAuthnFailure? {
    do {
        _ = try body()
        return nil
    } catch let failure as WebAuthnFailure { return failure }
}
