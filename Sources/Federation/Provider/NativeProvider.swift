import Core
import Crypto
public import OAuth
public import Platform

/// Provider whose sign-in sheet a native app can show by itself.
public protocol NativeProvider: IdentityProvider {
    /// Verifies a token that an app obtained by itself, and returns the user it identifies.
    ///
    /// - Parameters:
    ///   - code: the code that the app received with it.
    ///   - nonce: nil if the app used none.
    func identify(_ token: String, beside code: String, nonce: ExpectedNonce?, for app: ClientID, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> NativeProof

    /// Redeems a code that was issued to the app.
    ///
    /// - Parameter nonce: that of the returned token; nil if the app used none.
    func redeem(_ code: String, nonce: ExpectedNonce?, for app: ClientID, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamRedemption
}

/// Nonce that a provider's token must contain.
public struct ExpectedNonce: Sendable {
    let text: String
    /// Whether the token may contain the SHA-256 of the nonce, because libraries of native apps pass that to Apple.
    var mayBeHashed = false

    /// Whether a token's nonce is this one, or its SHA-256 in hexadecimal digits or base64 of any kind.
    func matches(_ claim: String) -> Bool {
        if ConstantTime.equal(text, claim) { return true }
        let digests = mayBeHashed ? [Hex.decode(claim), Base64.decode(eitherAlphabet: claim)].compactMap(\.self) : []
        return digests.contains { ConstantTime.equal($0, SHA256.hash(text)) }
    }
}

/// Verified content of a token that a native app handed over.
public struct NativeProof: Sendable {
    public let identity: UpstreamIdentity
    /// Whether the token itself shows that it came with the code; otherwise it may be an old token found by an
    /// attacker.
    public let namesCode: Bool
}
