/// A public key for verifying signatures; the key decides the algorithm.
public protocol VerifyingKey: Sendable {
    /// Algorithm that the signatures must have.
    var algorithm: JWSAlgorithm { get }

    /// Whether `signature`, in the format of JWS, is valid for `message`.
    func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool
}

extension VerifyingKey {
    /// Whether `signature`, in the format of JWS, is valid for `message`.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { isValid(signature, for: message.span) }
}
