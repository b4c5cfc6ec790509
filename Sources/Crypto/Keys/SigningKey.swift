/// A private key for signing; the key decides the algorithm.
public protocol SigningKey: Sendable {
    /// Algorithm of the signatures.
    var algorithm: JWSAlgorithm { get }

    /// Signs `message` and returns the signature in the format of JWS.
    func sign(_ message: Span<UInt8>) throws(SigningFailure) -> [UInt8]
}

extension SigningKey {
    /// Signs `message` and returns the signature in the format of JWS.
    public func sign(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(message.span) }
}

/// OpenSSL failed to sign, which is caused only by a lack of memory or randomness.
public struct SigningFailure: Error, Hashable { init() { OpenSSL.forgetErrors() } }
