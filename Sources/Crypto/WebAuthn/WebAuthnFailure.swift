// WebAuthn: verification of passkey registrations and assertions.
//
// Owns: every call into libfido2, the checks of a registration and of an assertion, the options that a page passes to
// the browser.
// Must not know: the owner of a credential, where it is stored, whether a challenge was used before, HTTP, HTML.
// Standards: Web Authentication Level 3 (sections 7.1 and 7.2), RFC 9052 and RFC 9053 (COSE), RFC 8812 (RS256).
//
// No attestation is requested, because the model of an authenticator decides nothing here.

/// The reason a registration or an assertion was rejected.
///
/// Cases follow the steps of Web Authentication Level 3 sections 7.1 and 7.2.
public enum WebAuthnFailure: Error, Hashable, Sendable {
    /// The client data is not JSON of the expected structure.
    case malformedClientData
    /// A registration instead of an assertion, or the reverse.
    case wrongType
    case wrongChallenge
    /// The page has a different origin.
    case wrongOrigin
    /// The page was framed by another site.
    case crossOrigin
    /// The data is too short or too long, or its CBOR is unreadable.
    case malformedAuthenticatorData
    /// The key belongs to a different RP ID.
    case wrongRelyingParty
    /// The user did not touch the authenticator.
    case userNotPresent
    /// The authenticator did not verify the user by PIN or biometrics.
    case userNotVerified
    /// The key is backed up without being eligible, or its eligibility differs from the registration.
    case wrongBackupState
    /// The key is neither ES256 nor RS256, or is invalid for its algorithm.
    case unsupportedKey
    case wrongSignature
    /// The signature counter did not increase: there may be a copy of the key.
    case counterFellBack
}
