internal import Crypto

/// The fixed head of what an authenticator says (Web Authentication Level 3 section 6.1).
///
/// What follows it, CBOR, is libfido2's to read, once it is known to announce no more than it holds.
struct AuthenticatorData: Sendable {
    private static let headCount = 37
    /// Octets of an AAGUID.
    private static let modelCount = 16
    /// The longest credential id has 1,023 octets, an RSA key some 300.
    private static let maximumCount = 4096

    private enum Flag {
        static let userPresent: UInt8 = 0x01
        static let userVerified: UInt8 = 0x04
        static let backupEligible: UInt8 = 0x08
        static let backedUp: UInt8 = 0x10
        static let attested: UInt8 = 0x40
    }

    let isUserVerified: Bool
    let isBackupEligible: Bool
    let isBackedUp: Bool
    let signCount: UInt32

    /// Reads the head and checks what both ceremonies ask of it.
    init(
        _ bytes: [UInt8],
        of party: RelyingParty,
        requiresUserVerification: Bool
    ) throws(WebAuthnFailure) {
        guard (Self.headCount...Self.maximumCount).contains(bytes.count) else {
            throw .malformedAuthenticatorData
        }
        let partyHash = Array(bytes[..<SHA256.byteCount])
        guard ConstantTime.equal(partyHash, SHA256.hash(party.id)) else { throw .wrongRelyingParty }
        let flags = bytes[SHA256.byteCount]
        guard flags & Flag.userPresent != 0 else { throw .userNotPresent }
        isUserVerified = flags & Flag.userVerified != 0
        guard isUserVerified || !requiresUserVerification else { throw .userNotVerified }
        isBackupEligible = flags & Flag.backupEligible != 0
        isBackedUp = flags & Flag.backedUp != 0
        guard isBackupEligible || !isBackedUp else { throw .wrongBackupState }
        signCount = bytes[33..<Self.headCount].reduce(0) { $0 << 8 | UInt32($1) }
        guard let rest = Self.coded(bytes[Self.headCount...], isAttested: flags & Flag.attested != 0),
            CBORExtent.isWhole(rest)
        else { throw .malformedAuthenticatorData }
    }

    /// What is CBOR of what follows the head: an attested credential begins with the model of its authenticator and its id
    /// (section 6.5.1).
    private static func coded(_ octets: ArraySlice<UInt8>, isAttested: Bool) -> ArraySlice<UInt8>? {
        guard isAttested else { return octets }
        let ahead = octets.prefix(modelCount + 2)
        guard ahead.count == modelCount + 2 else { return nil }
        let idCount = ahead.suffix(2).reduce(0) { $0 << 8 | Int($1) }
        let rest = octets.dropFirst(modelCount + 2)
        return rest.count >= idCount ? rest.dropFirst(idCount) : nil
    }
}
