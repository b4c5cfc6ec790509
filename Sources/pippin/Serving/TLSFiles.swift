import Bytes
import Doctor
import Glibc
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
    /// The certificate's file for check-ups, as it is when they look.
    var certificateFile: CertificateFile? {
        tls.map { files in CertificateFile(files.certificate) { TextFile.read(files.certificate) } }
    }
}

/// Small files of text.
enum TextFile {
    /// The longest file that is read, in octets.
    static let limit = 1 << 20

    /// The text, or nil when the file cannot be read, is longer than the limit, or not UTF-8.
    static func read(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return String(utf8: bytes) }
            guard count > 0 else { return nil }
            bytes += chunk.prefix(count)
        }
        return nil
    }
}
