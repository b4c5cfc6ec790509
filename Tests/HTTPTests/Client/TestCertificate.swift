import TestSupport

/// A certificate for `localhost` that nobody signed but itself.
struct TestCertificate {
    /// Certificate and key, in PEM.
    let certificate: String
    let key: String
    /// Where they lie.
    let file: String
    let keyFile: String

    /// Makes one, which is there for as long as `body` runs.
    static func with(_ body: (TestCertificate) async throws -> Void) async throws {
        let folder = "/tmp/pippin-client-tls-\(UInt64.random(in: .min ... .max))"
        let subject = "-subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2"
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        let files = "-keyout \(folder)/key.pem -out \(folder)/certificate.pem"
        defer { _ = try? shell("rm -r \(folder)") }
        _ = try shell("mkdir \(folder) && openssl req -x509 \(curve) \(subject) \(files) 2>&1")
        let certificate = TestCertificate(
            certificate: try shell("cat \(folder)/certificate.pem"), key: try shell("cat \(folder)/key.pem"),
            file: folder + "/certificate.pem", keyFile: folder + "/key.pem")
        try await body(certificate)
    }
}
