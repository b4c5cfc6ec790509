/// A public key that verifies; the key decides the algorithm.
public protocol VerifyingKey: Sendable {
    /// What the signatures must be.
    var algorithm: JWSAlgorithm { get }

    /// Whether `signature`, in the form JWS uses, is that of `message`.
    func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool
}

extension VerifyingKey {
    /// Whether `signature`, in the form JWS uses, is that of `message`.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature, for: message.span)
    }
}
