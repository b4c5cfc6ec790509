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
                return Finding(.note, subject, Message("console.doctor.certificate.unseen", ["host": host]))
            }
            return Self.finding(
                subject, Message("console.doctor.certificate.valid", ["host": host, "until": certificate.endsAt]),
                certificate.lifetime(at: now))
        case .failure(.untrusted(let fault, let reason)):
            let isSeen = fault != .oldVersion && fault != .other
            let words = fault.words(reason)
            let message =
                isSeen
                ? Message("console.doctor.certificate.untrusted", ["host": host, "reason": words])
                : Message("console.doctor.certificate.refused", ["host": host, "reason": words])
            return Finding(.wrong, subject, message, advice: [fault.advice(for: host)])
        case .failure(let failure):
            let words = Message("console.doctor.certificate.silent", ["host": host, "reason": failure.words])
            return Finding(.note, subject, words)
        }
    }

    /// The finding for a certificate's remaining lifetime; `message` names its end.
    static func finding(_ subject: Message, _ message: Message, _ lifetime: Certificate.Lifetime) -> Finding {
        let advice = Message("console.doctor.certificate.renew")
        return switch lifetime {
        case .expired, .ending: Finding(.wrong, subject, message, advice: [advice])
        case .short: Finding(.note, subject, message, advice: [advice])
        case .long: Finding(.good, subject, message)
        }
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
