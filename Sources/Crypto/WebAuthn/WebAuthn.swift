// WebAuthn: verification of passkey registrations and assertions.
//
// Owns: every call into libfido2, the checks of a registration and of an assertion, the options that a page passes to
// the browser.
// Must not know: the owner of a credential, where it is stored, whether a challenge was used before, HTTP, HTML.
// Standards: Web Authentication Level 3 (sections 7.1 and 7.2), RFC 9052 and RFC 9053 (COSE), RFC 8812 (RS256).
//
// No attestation is requested, because the model of an authenticator decides nothing here.

internal import Core

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

/// A relying party: the host that keys are bound to, and the origin of its pages.
public struct RelyingParty: Hashable, Sendable {
    /// The RP ID: a host name.
    public let id: String
    /// Scheme, host, and port, as browsers write them.
    public let origin: String

    /// The relying party of a public URL; nil where passkeys are not possible.
    ///
    /// The host must be a name (Web Authentication Level 3 section 5.1.2), and the page a secure context: TLS, or
    /// plain HTTP on `localhost`.
    /// - Parameter publicURL: scheme, host, and port, in lowercase, without a trailing slash.
    public init?(publicURL: String) {
        guard let separator = publicURL.firstRange(of: "://") else { return nil }
        let scheme = publicURL[..<separator.lowerBound]
        let authority = publicURL[separator.upperBound...]
        let host = authority.prefix { $0 != ":" && $0 != "/" }
        guard !host.isEmpty, !host.hasPrefix("["), host.utf8.last != UInt8(ascii: ".") else { return nil }
        // The last label of an IPv4 address is a number, that of a host name never is (RFC 1123 section 2.1).
        let label = host.split(separator: ".").last ?? ""
        guard !label.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let isLocal = host == "localhost" || host.hasSuffix(".localhost")
        guard scheme == "https" || (scheme == "http" && isLocal) else { return nil }
        id = String(host)
        origin = publicURL
    }
}

/// The client data of a ceremony, created by the browser (Web Authentication Level 3 section 5.8.1).
struct ClientData: Sendable {
    /// Maximum length in octets, more than any browser sends.
    private static let maximumCount = 4096

    /// Ceremony that the page requested.
    enum Ceremony: String, Sendable {
        case registration = "webauthn.create"
        case assertion = "webauthn.get"
    }

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    /// SHA-256 of the client data, which is part of the signed data.
    let hash: [UInt8]

    /// Parses the client data and checks it against the request.
    init(_ json: [UInt8], of ceremony: Ceremony, challenge: [UInt8], origin: String) throws(WebAuthnFailure) {
        guard json.count <= Self.maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { throw .malformedClientData }
        guard members.type == ceremony.rawValue else { throw .wrongType }
        guard let answered = Base64URL.decode(members.challenge), ConstantTime.equal(answered, challenge) else {
            throw .wrongChallenge
        }
        guard members.origin.utf8.elementsEqual(origin.utf8) else { throw .wrongOrigin }
        guard members.crossOrigin != true, members.topOrigin == nil else { throw .crossOrigin }
        hash = SHA256.hash(json)
    }

    /// The challenge in client data, without any check; nil if it cannot be read.
    static func challenge(in json: [UInt8]) -> [UInt8]? {
        guard json.count <= maximumCount,
            let members = try? JSON.decode(Members.self, from: json, maxDepth: 8, maxValues: 100)
        else { return nil }
        return Base64URL.decode(members.challenge)
    }
}

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

/// Checks that CBOR declares no more data than it contains.
///
/// libcbor allocates memory for every element that an array or a map declares, before it reads the first: a few octets
/// could allocate gigabytes. So untrusted CBOR is scanned first, without allocation.
enum CBORExtent {
    /// Maximum nesting: the key of a registration is one map, extensions are a map of maps.
    private static let deepest = 8

    /// Whether the octets are complete items, one after the other, of definite length (RFC 8949 section 3; CTAP 2.1
    /// section 8 allows no other).
    static func isWhole(_ octets: ArraySlice<UInt8>) -> Bool {
        var rest = octets
        while !rest.isEmpty { guard skip(&rest, depth: 0) else { return false } }
        return true
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth < deepest, let first = rest.popFirst(), let argument = argument(first & 0x1F, &rest) else {
            return false
        }
        switch first >> 5 {
        case 0, 1, 7: return true
        case 2, 3:
            guard let count = Int(exactly: argument), count <= rest.count else { return false }
            rest = rest.dropFirst(count)
            return true
        case 4: return skip(argument, each: 1, &rest, depth: depth)
        case 5: return skip(argument, each: 2, &rest, depth: depth)
        default: return skip(&rest, depth: depth + 1)
        }
    }

    /// Skips an array's or a map's declared elements, each of which takes at least one octet.
    private static func skip(_ argument: UInt64, each items: Int, _ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard let count = Int(exactly: argument), count <= rest.count / items else { return false }
        for _ in 0..<(items * count) { guard skip(&rest, depth: depth + 1) else { return false } }
        return true
    }

    /// The argument of an item after its first octet; nil for an indefinite length and for truncated data.
    private static func argument(_ kind: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard kind >= 24 else { return UInt64(kind) }
        guard kind <= 27 else { return nil }
        let count = 1 << Int(kind - 24)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
