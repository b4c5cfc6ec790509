/// Why the certificate of a server is not believed.
public enum CertificateFault: Sendable {
    case expired
    case notYetValid
    /// The server signed it itself, or whoever signed it did.
    case selfSigned
    /// Nobody trusted signed it, or the server does not send the certificates between.
    case unknownIssuer
    case otherName
    /// Anything else that keeps an encrypted connection from being made.
    case other

    /// - Parameters:
    ///   - number: one of OpenSSL's `X509_V_ERR` numbers, which are part of its interface; 0 is none, and 1 is what libcurl
    ///     says that did not come to ask.
    ///   - isName: whether the name is to blame where the chain is not.
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
