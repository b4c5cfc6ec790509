import AuthEngine
import Bytes
import Crypto
import Directory
import Domain

/// The claims of a token that Apple has signed, and the checks they must pass.
///
/// A claim that is absent, null or of another type fails its check; none is skipped.
struct AppleClaims: Sendable {
    /// How far two clocks may differ, in seconds.
    private static let skew: Int64 = 300

    let claims: Claims

    init(_ claims: Claims) {
        self.claims = claims
    }

    /// Issuer and audience; the issuer is pinned to the keys the signature was checked with.
    func audience(of expectation: AppleIdentityToken.Expectation) throws(ProviderFailure) -> ClientID {
        let issuer = try read { claims throws(Claims.Failure) in try claims.string("iss") }
        guard issuer.utf8.elementsEqual(expectation.issuer.utf8) else {
            throw ProviderFailure(
                .providerIssuer,
                .none,
                because: "the token's issuer is not \(expectation.issuer)"
            )
        }
        let names = try read { claims throws(Claims.Failure) in try claims.audience() }
        guard names.count == 1, let audience = ClientID(rawValue: names[0]),
            expectation.audiences.contains(audience)
        else {
            throw ProviderFailure(
                .providerAudience,
                .none,
                because:
                    "the token was issued to \(names.joined(separator: ", ").prefix(100)), which is no client of this App ID"
            )
        }
        return audience
    }

    func checkTimes(at moment: Timestamp) throws(ProviderFailure) {
        let (now, skew) = (Int64(moment.seconds), Self.skew)
        let expiry = try read { claims throws(Claims.Failure) in try claims.integer("exp") }
        let issue = try read { claims throws(Claims.Failure) in try claims.integer("iat") }
        guard expiry > now - skew else {
            throw ProviderFailure(
                .providerExpired,
                .anew,
                because: "the token expired \(now - expiry) seconds ago"
            )
        }
        guard issue <= now + skew else {
            throw ProviderFailure(
                .providerExpired,
                .again,
                because: "the token was issued \(issue - now) seconds from now: a clock is wrong"
            )
        }
    }

    func checkNonce(of expectation: AppleIdentityToken.Expectation) throws(ProviderFailure) {
        guard let nonces = expectation.nonces else { return }
        if expectation.mayLackNonce, claims.members["nonce"] == nil { return }
        guard let nonce = claims.members["nonce"]?.string, nonces.contains(where: { Self.isSame($0, nonce) })
        else {
            throw ProviderFailure(
                .providerNonce,
                .anew,
                because: "the token's nonce is not that of this sign-in"
            )
        }
    }

    /// Apple does not write these claims everywhere, but what is written must be right.
    func checkHash(of companion: AppleIdentityToken.Companion?) throws(ProviderFailure) {
        let (name, text) =
            switch companion {
            case .code(let code): ("c_hash", code)
            case .accessToken(let token): ("at_hash", token)
            case nil: ("", "")
            }
        guard companion != nil, let hash = claims.members[name] else { return }
        guard let hash = hash.string, Self.isSame(hash, TokenHash.of(text)) else {
            throw ProviderFailure(
                .providerToken,
                .anew,
                because: "\(name) is not that of what came with the token"
            )
        }
    }

    func identity() throws(ProviderFailure) -> ProviderIdentity {
        let name = try read { claims throws(Claims.Failure) in try claims.string("sub") }
        guard let subject = Subject(rawValue: name) else {
            throw ProviderFailure(.providerToken, .anew, because: "the token's sub is no name for a person")
        }
        let (issue, proof) = (claims.members["iat"]?.integer ?? 0, claims.members["auth_time"]?.integer)
        return ProviderIdentity(
            identifier: subject,
            email: email,
            transferSubject: claims.members["transfer_sub"]?.string,
            realUserStatus: claims.members["real_user_status"]?.integer.flatMap {
                (0...2).contains($0) ? Int($0) : nil
            },
            authenticatedAt: Timestamp(seconds: Int(min(proof ?? issue, issue)))
        )
    }

    /// Managed accounts and those of children may have none; both booleans come as booleans or as texts.
    private var email: SharedIdentity.Email? {
        guard let address = claims.members["email"]?.string.flatMap(EmailAddress.init(rawValue:)) else {
            return nil
        }
        return SharedIdentity.Email(
            address: address,
            isVerified: (try? claims.boolean("email_verified")) ?? false,
            isPrivate: (try? claims.boolean("is_private_email")) ?? false
        )
    }

    private func read<Value>(
        _ body: (Claims) throws(Claims.Failure) -> Value
    ) throws(ProviderFailure) -> Value {
        do throws(Claims.Failure) {
            return try body(claims)
        } catch {
            throw ProviderFailure(
                .providerToken,
                .anew,
                because: "a claim is missing or of the wrong type: \(error)"
            )
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        ConstantTime.equal(Array(one.utf8), Array(other.utf8))
    }
}
