import Core
import Crypto
import HTTP

/// Check of a server's certificate, as any client of the server sees it.
struct CertificateCheck: Sendable {
    let now: Timestamp

    init(at now: Timestamp) { self.now = now }

    /// The finding for the certificate of `answer`, or for the missing response.
    ///
    /// A server that does not answer is only a note, because it may answer other clients.
    ///
    /// - Parameter host: the host of the certificate.
    func finding(_ subject: Message, of host: String, _ answer: Result<ClientResponse, ClientFailure>) -> Finding {
        switch answer {
        case .success(let response):
            guard let certificate = response.certificate.flatMap(Certificate.init) else {
                return Finding(.note, subject, Message("console.checkup.certificate.unseen", ["host": host]))
            }
            return Self.finding(
                subject, Message("console.checkup.certificate.valid", ["host": host, "until": certificate.endsAt]),
                certificate.lifetime(at: now))
        case .failure(.untrusted(let fault, let reason)):
            let isSeen = fault != .oldVersion && fault != .other
            let words = fault.words(reason)
            let message =
                isSeen
                ? Message("console.checkup.certificate.untrusted", ["host": host, "reason": words])
                : Message("console.checkup.certificate.refused", ["host": host, "reason": words])
            return Finding(.wrong, subject, message, advice: [fault.advice(for: host)])
        case .failure(let failure):
            let words = Message("console.checkup.certificate.silent", ["host": host, "reason": failure.words])
            return Finding(.note, subject, words)
        }
    }

    /// The finding for a certificate's remaining lifetime; `message` names its end.
    static func finding(_ subject: Message, _ message: Message, _ lifetime: Certificate.Lifetime) -> Finding {
        let advice = Message("console.checkup.certificate.renew")
        return switch lifetime {
        case .expired, .ending: Finding(.wrong, subject, message, advice: [advice])
        case .short: Finding(.note, subject, message, advice: [advice])
        case .long: Finding(.good, subject, message)
        }
    }
}

// Reason why a certificate is not trusted, and the remedy.
extension CertificateFault {
    /// - Parameter reason: libcurl's error text, shown for `other`.
    func words(_ reason: String) -> Message {
        switch self {
        case .expired: Message("console.checkup.certificate.expired")
        case .notYetValid: Message("console.checkup.certificate.not-yet-valid")
        case .selfSigned: Message("console.checkup.certificate.self-signed")
        case .unknownIssuer: Message("console.checkup.certificate.unknown-issuer")
        case .otherName: Message("console.checkup.certificate.other-name")
        case .oldVersion: Message("console.checkup.certificate.old-version")
        case .other: Message("console.checkup.certificate.other", ["reason": reason])
        }
    }

    /// - Parameter authority: a host, perhaps with a port, which is removed because certificates do not contain it.
    func advice(for authority: String) -> Message {
        let host = authority.hasPrefix("[") ? authority : String(authority.prefix { $0 != ":" })
        return switch self {
        case .expired: Message("console.checkup.certificate.expired.advice")
        case .notYetValid: Message("console.checkup.certificate.not-yet-valid.advice")
        case .selfSigned: Message("console.checkup.certificate.self-signed.advice", ["host": host])
        case .unknownIssuer: Message("console.checkup.certificate.unknown-issuer.advice")
        case .otherName: Message("console.checkup.certificate.other-name.advice", ["host": host])
        case .oldVersion: Message("console.checkup.certificate.old-version.advice", ["host": host])
        case .other: Message("console.checkup.certificate.other.advice", ["host": authority])
        }
    }
}

// Reason why there is no response.
extension ClientFailure {
    var words: Message {
        switch self {
        case .malformedRequest: Message("console.checkup.reason.malformed-request")
        // Without the address, because it would disclose the internal network.
        case .addressRefused: Message("console.checkup.reason.address-refused")
        case .nameNotFound: Message("console.checkup.reason.name-not-found")
        case .cannotConnect: Message("console.checkup.reason.cannot-connect")
        case .untrusted(let fault, let reason): fault.words(reason)
        case .deadlinePassed: Message("console.checkup.reason.deadline-passed")
        case .malformedAnswer, .bodyTooLong: Message("console.checkup.reason.malformed-answer")
        case .tooManyRedirects: Message("console.checkup.reason.redirects")
        case .cancelled: Message("console.checkup.reason.cancelled")
        case .copy: Message("console.checkup.reason.other", ["text": description])
        case .other(let text): Message("console.checkup.reason.other", ["text": text])
        }
    }
}

/// The certificate file of `--tls-cert`, read again in each check-up.
public struct CertificateFile: Sendable {
    let path: String
    let read: @Sendable () -> String?

    public init(_ path: String, read: @escaping @Sendable () -> String?) {
        self.path = path
        self.read = read
    }

    func finding(at now: Timestamp) -> Finding {
        let subject = Message("console.checkup.certificate-file")
        guard let certificate = read().flatMap(Certificate.init) else {
            return Finding(
                .wrong, subject, Message("console.checkup.certificate-file.unreadable", ["file": path]),
                advice: [Message("console.checkup.certificate-file.unreadable.advice")])
        }
        return CertificateCheck.finding(
            subject, Message("console.checkup.certificate-file.valid", ["file": path, "until": certificate.endsAt]),
            certificate.lifetime(at: now))
    }
}

extension Certificate {
    /// Remaining validity of a certificate.
    enum Lifetime {
        case expired
        /// Less than 7 days: automatic renewal should have happened.
        case ending
        case short
        case long
    }

    func lifetime(at now: Timestamp) -> Lifetime {
        switch endsAt - now {
        case ...(.zero): .expired
        case ..<(.seconds(7 * 86_400)): .ending
        case ..<CheckupEnvironment.horizon: .short
        default: .long
        }
    }
}
