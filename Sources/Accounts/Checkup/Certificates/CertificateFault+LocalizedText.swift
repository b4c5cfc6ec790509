import Core
import HTTP

// Reason why a certificate is not trusted, and the remedy.
extension CertificateFault {
    /// - Parameter reason: libcurl's error text, shown for `other`.
    func words(_ reason: String) -> Message {
        switch self {
        case .expired: Message("console.doctor.certificate.expired")
        case .notYetValid: Message("console.doctor.certificate.not-yet-valid")
        case .selfSigned: Message("console.doctor.certificate.self-signed")
        case .unknownIssuer: Message("console.doctor.certificate.unknown-issuer")
        case .otherName: Message("console.doctor.certificate.other-name")
        case .oldVersion: Message("console.doctor.certificate.old-version")
        case .other: Message("console.doctor.certificate.other", ["reason": reason])
        }
    }

    /// - Parameter authority: a host, perhaps with a port, which is removed because certificates do not contain it.
    func advice(for authority: String) -> Message {
        let host = authority.hasPrefix("[") ? authority : String(authority.prefix { $0 != ":" })
        return switch self {
        case .expired: Message("console.doctor.certificate.expired.advice")
        case .notYetValid: Message("console.doctor.certificate.not-yet-valid.advice")
        case .selfSigned: Message("console.doctor.certificate.self-signed.advice", ["host": host])
        case .unknownIssuer: Message("console.doctor.certificate.unknown-issuer.advice")
        case .otherName: Message("console.doctor.certificate.other-name.advice", ["host": host])
        case .oldVersion: Message("console.doctor.certificate.old-version.advice", ["host": host])
        case .other: Message("console.doctor.certificate.other.advice", ["host": authority])
        }
    }
}

// Reason why there is no response.
extension ClientFailure {
    var words: Message {
        switch self {
        case .malformedRequest: Message("console.doctor.reason.malformed-request")
        // Without the address, because it would disclose the internal network.
        case .addressRefused: Message("console.doctor.reason.address-refused")
        case .nameNotFound: Message("console.doctor.reason.name-not-found")
        case .cannotConnect: Message("console.doctor.reason.cannot-connect")
        case .untrusted(let fault, let reason): fault.words(reason)
        case .deadlinePassed: Message("console.doctor.reason.deadline-passed")
        case .malformedAnswer, .bodyTooLong: Message("console.doctor.reason.malformed-answer")
        case .tooManyRedirects: Message("console.doctor.reason.redirects")
        case .cancelled: Message("console.doctor.reason.cancelled")
        case .other(let text): Message("console.doctor.reason.other", ["text": text])
        }
    }
}
