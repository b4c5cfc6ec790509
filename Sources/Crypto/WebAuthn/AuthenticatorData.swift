/// The fixed-length head of authenticator data (Web Authentication Level 3 section 6.1).
///
/// libfido2 reads the CBOR after the head, once it is known to declare no more data than it contains. The ceremony
/// determines where that CBOR begins, as in libfido2, and never a flag set by the sender.
struct AuthenticatorData: Sendable {
    private static let headCount = 37
    /// Length of an AAGUID in octets.
    private static let modelCount = 16
    /// A credential ID has at most 1,023 octets, an RSA key some 300.
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

    /// Reads the head and checks the requirements common to both ceremonies.
    init(_ bytes: [UInt8], in ceremony: ClientData.Ceremony, of party: RelyingParty, requiresUserVerification: Bool)
        throws(WebAuthnFailure)
    {
        guard (Self.headCount...Self.maximumCount).contains(bytes.count) else { throw .malformedAuthenticatorData }
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
        // A registration contains a credential, an assertion does not (section 6.1).
        guard (flags & Flag.attested != 0) == (ceremony == .registration),
            let rest = Self.coded(bytes[Self.headCount...], in: ceremony), CBORExtent.isWhole(rest)
        else { throw .malformedAuthenticatorData }
    }

    /// The CBOR after the head: all of it in an assertion, where it contains only extensions; in a registration, the
    /// part after the credential's AAGUID and ID (section 6.5.1).
    private static func coded(_ octets: ArraySlice<UInt8>, in ceremony: ClientData.Ceremony) -> ArraySlice<UInt8>? {
        guard ceremony == .registration else { return octets }
        let ahead = octets.prefix(modelCount + 2)
        guard ahead.count == modelCount + 2 else { return nil }
        let idCount = ahead.suffix(2).reduce(0) { $0 << 8 | Int($1) }
        let rest = octets.dropFirst(modelCount + 2)
        return rest.count >= idCount ? rest.dropFirst(idCount) : nil
    }
}
