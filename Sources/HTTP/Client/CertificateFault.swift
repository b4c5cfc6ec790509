/// Reason why a server's certificate is not trusted.
public enum CertificateFault: Sendable {
    case expired
    case notYetValid
    /// The certificate is self-signed, or a self-signed certificate ends its chain.
    case selfSigned
    /// No trusted issuer signed it, or the server does not send the intermediate certificates.
    case unknownIssuer
    case otherName
    /// The server speaks TLS 1.1 or older alone.
    case oldVersion
    /// Any other reason why no encrypted connection can be made.
    case other

    /// - Parameters:
    ///   - number: one of OpenSSL's `X509_V_ERR` numbers, which are part of its interface; 0 is none, and 1 is what
    ///     libcurl reports when it did not reach the check.
    ///   - isName: whether the name is at fault when the chain is not.
    init(_ number: Int, isName: Bool) {
        self =
            switch number {
            case 0, 1: isName ? .otherName : .other
            case 9: .notYetValid
            case 10: .expired
            case 18, 19: .selfSigned
            case 2, 20, 21: .unknownIssuer
            case 62, 64: .otherName
            default: .other
            }
    }
}
