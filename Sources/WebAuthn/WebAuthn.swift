// WebAuthn: whether what a passkey answered is what was asked, and who signed it.
//
// Owns: every call into libfido2, the checks of a registration and of an assertion, the options a page hands to
// the browser.
// Must not know: whose a credential is, where it is kept, whether a challenge was used before, HTTP, HTML.
// Standards: Web Authentication Level 3 (sections 7.1 and 7.2), RFC 9052 and RFC 9053 (COSE), RFC 8812 (RS256).
//
// No attestation is asked for: which model made a key decides nothing here.

/// Why a registration or an assertion was refused.
///
/// Names follow the steps of Web Authentication Level 3 sections 7.1 and 7.2.
public enum WebAuthnFailure: Error, Hashable, Sendable {
    /// The client data is no JSON of the right shape.
    case malformedClientData
    /// A registration where an assertion was asked for, or the other way round.
    case wrongType
    case wrongChallenge
    /// Another site asked.
    case wrongOrigin
    /// The page was framed by another site.
    case crossOrigin
    /// Too short, too long, or its CBOR cannot be read.
    case malformedAuthenticatorData
    /// The key was asked for another host.
    case wrongRelyingParty
    /// Nobody touched the authenticator.
    case userNotPresent
    /// The authenticator did not ask for PIN or biometrics.
    case userNotVerified
    /// Backed up although it cannot be, or no longer what it was registered as.
    case wrongBackupState
    /// Neither ES256 nor RS256, or no such key.
    case unsupportedKey
    case wrongSignature
    /// The counter did not grow: there may be a copy of the key.
    case counterFellBack
}
