internal import COpenSSL
public import Core
internal import Glibc

/// The properties of an X.509 certificate (RFC 5280) that users need.
public struct Certificate: Sendable {
    /// End of the validity period (section 4.1.2.5).
    public let endsAt: Timestamp

    /// Reads the first certificate of a PEM text; nil if there is none.
    public init?(pem: String) {
        let octets = Array(pem.utf8)
        let read = unsafe octets.withUnsafeBytes { text -> OpaquePointer? in
            let source = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            defer { unsafe BIO_free(source) }
            return unsafe PEM_read_bio_X509(source, nil, nil, nil)
        }
        guard let certificate = unsafe read else { return nil }
        defer { unsafe X509_free(certificate) }
        var time = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        endsAt = Timestamp(seconds: unsafe timegm(&time))
    }
}
