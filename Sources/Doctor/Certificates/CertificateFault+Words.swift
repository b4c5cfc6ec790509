import Bytes
import HTTPClient

// Why a certificate is not believed, and the one thing to do.
extension CertificateFault {
    /// - Parameter reason: libcurl's words, for what is none of the usual.
    func words(_ reason: String) -> Phrase {
        switch self {
        case .expired: Phrase("console.doctor.certificate.expired")
        case .notYetValid: Phrase("console.doctor.certificate.not-yet-valid")
        case .selfSigned: Phrase("console.doctor.certificate.self-signed")
        case .unknownIssuer: Phrase("console.doctor.certificate.unknown-issuer")
        case .otherName: Phrase("console.doctor.certificate.other-name")
        case .other: Phrase("console.doctor.certificate.other", ["reason": reason])
        }
    }

    /// - Parameter authority: a host, perhaps with a port, which no certificate names.
    func advice(for authority: String) -> Phrase {
        let host = authority.hasPrefix("[") ? authority : String(authority.prefix { $0 != ":" })
        return switch self {
        case .expired: Phrase("console.doctor.certificate.expired.advice")
        case .notYetValid: Phrase("console.doctor.certificate.not-yet-valid.advice")
        case .selfSigned: Phrase("console.doctor.certificate.self-signed.advice", ["host": host])
        case .unknownIssuer: Phrase("console.doctor.certificate.unknown-issuer.advice")
        case .otherName: Phrase("console.doctor.certificate.other-name.advice", ["host": host])
        case .other: Phrase("console.doctor.certificate.other.advice", ["host": authority])
        }
    }
}

// Why there is no answer, in words.
extension ClientFailure {
    var words: Phrase {
        switch self {
        case .malformedRequest: Phrase("console.doctor.reason.malformed-request")
        // Which address it is, in our network, is nobody's business.
        case .addressRefused: Phrase("console.doctor.reason.address-refused")
        case .nameNotFound: Phrase("console.doctor.reason.name-not-found")
        case .cannotConnect: Phrase("console.doctor.reason.cannot-connect")
        case .untrusted(let fault, let reason): fault.words(reason)
        case .deadlinePassed: Phrase("console.doctor.reason.deadline-passed")
        case .malformedAnswer, .bodyTooLong: Phrase("console.doctor.reason.malformed-answer")
        case .tooManyRedirects: Phrase("console.doctor.reason.redirects")
        case .cancelled: Phrase("console.doctor.reason.cancelled")
        case .other(let text): Phrase("console.doctor.reason.other", ["text": text])
        }
    }
}
