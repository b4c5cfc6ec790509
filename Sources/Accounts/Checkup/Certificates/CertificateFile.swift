import Core
import Crypto

/// The certificate file of `--tls-cert`, read again in each check-up.
public struct CertificateFile: Sendable {
    let path: String
    let read: @Sendable () -> String?

    public init(_ path: String, read: @escaping @Sendable () -> String?) {
        self.path = path
        self.read = read
    }

    func finding(at now: Timestamp) -> Finding {
        let subject = Message("console.doctor.certificate-file")
        guard let certificate = read().flatMap(Certificate.init) else {
            return Finding(
                .wrong, subject, Message("console.doctor.certificate-file.unreadable", ["file": path]),
                advice: [Message("console.doctor.certificate-file.unreadable.advice")])
        }
        return CertificateCheck.finding(
            subject, Message("console.doctor.certificate-file.valid", ["file": path, "until": certificate.endsAt]),
            certificate.lifetime(at: now))
    }
}
