import Doctor
import HTTP

/// The certificate and key of `--tls-cert` and `--tls-key`.
enum TLSFiles {
    static func read(_ files: (certificate: String, key: String)) throws(CommandFailure) -> ServerTLS {
        ServerTLS(certificate: try text(files.certificate), key: try text(files.key))
    }

    private static func text(_ path: String) throws(CommandFailure) -> String {
        guard let text = TextFile.read(path), text.contains("-----BEGIN") else {
            throw CommandFailure("\(path) cannot be read or is not PEM")
        }
        return text
    }
}

extension Settings {
    /// The certificate file for check-ups, read at the time of each.
    ///
    /// - Parameter served: renewal whose served certificate is checked instead of the file.
    func certificateFile(served: CertificateRenewal? = nil) -> CertificateFile? {
        tls.map { files in
            CertificateFile(files.certificate) { served?.certificate ?? TextFile.read(files.certificate) }
        }
    }
}
