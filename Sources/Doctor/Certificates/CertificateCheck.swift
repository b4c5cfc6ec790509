import Bytes
import Crypto
import HTTPClient

/// A server's certificate, as anybody sees it who connects.
struct CertificateCheck: Sendable {
    let now: Timestamp

    init(at now: Timestamp) {
        self.now = now
    }

    /// What the certificate that `answer` was given with says, or why there was none.
    ///
    /// Where nobody answers, that is no more than a note: others may see more of the host.
    ///
    /// - Parameter host: whose certificate it is.
    func finding(
        _ subject: Phrase,
        of host: String,
        _ answer: Result<ClientResponse, ClientFailure>
    ) -> Finding {
        switch answer {
        case .success(let response):
            guard let certificate = response.certificate.flatMap(Certificate.init) else {
                return Finding(.note, subject, Phrase("console.doctor.certificate.unseen", ["host": host]))
            }
            return Self.finding(
                subject,
                Phrase(
                    "console.doctor.certificate.valid",
                    ["host": host, "until": certificate.endsAt]
                ),
                certificate.lifetime(at: now)
            )
        case .failure(.untrusted(let fault, let reason)):
            return Finding(
                .wrong,
                subject,
                Phrase(
                    "console.doctor.certificate.untrusted",
                    ["host": host, "reason": fault.words(reason)]
                ),
                advice: [fault.advice(for: host)]
            )
        case .failure(let failure):
            let words = Phrase(
                "console.doctor.certificate.silent",
                ["host": host, "reason": failure.words]
            )
            return Finding(.note, subject, words)
        }
    }

    /// What is to be said of a certificate that lives so long, of which `message` tells the end.
    static func finding(
        _ subject: Phrase,
        _ message: Phrase,
        _ lifetime: Certificate.Lifetime
    ) -> Finding {
        let advice = Phrase("console.doctor.certificate.renew")
        return switch lifetime {
        case .over, .ending: Finding(.wrong, subject, message, advice: [advice])
        case .short: Finding(.note, subject, message, advice: [advice])
        case .long: Finding(.good, subject, message)
        }
    }
}

extension Certificate {
    /// How long it is good for.
    enum Lifetime {
        case over
        /// Whatever renews it should have done so.
        case ending
        case short
        case long
    }

    func lifetime(at now: Timestamp) -> Lifetime {
        switch endsAt - now {
        case ...(.zero): .over
        case ..<(.seconds(7 * 86_400)): .ending
        case ..<Surroundings.horizon: .short
        default: .long
        }
    }
}
