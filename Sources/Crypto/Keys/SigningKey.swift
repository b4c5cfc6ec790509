/// A private key that signs; the key decides the algorithm.
public protocol SigningKey: Sendable {
    /// What the signatures are.
    var algorithm: JWSAlgorithm { get }

    /// The signature of `message` in the form JWS uses.
    func sign(_ message: Span<UInt8>) throws(SigningFailure) -> [UInt8]
}

extension SigningKey {
    /// The signature of `message` in the form JWS uses.
    public func sign(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] {
        try sign(message.span)
    }
}

/// OpenSSL refused to sign; only exhausted memory or randomness brings that about.
public struct SigningFailure: Error, Hashable {
    init() {
        OpenSSL.forgetErrors()
    }
}
