import Core
import Crypto
import Testing

@testable import Accounts
@testable import HTTP

/// What a check-up says of certificates.
@Suite struct `A certificate in a check-up` {
    /// Good until 2036-11-19T02:28:05Z.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASmgAwIBAgIUJphrk7Dq2Vy+D7IJyH2Uh2e04rswCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMYWNtZS5leGFtcGxlMB4XDTI2MTEyMjAyMjgwNVoXDTM2MTEx
        OTAyMjgwNVowFzEVMBMGA1UEAwwMYWNtZS5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAENhmRJjnso0smgnthFBEjs4tITe1pj6wQDHlBMaggvJhCUUss
        WD5x1EwIYHrBGHxh2S8W8TqcZSOLhw7J/03FbqNTMFEwHQYDVR0OBBYEFJ+sPn6a
        4mnId775mADEaXXehc7SMB8GA1UdIwQYMBaAFJ+sPn6a4mnId775mADEaXXehc7S
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANaY3eG/ufdh5smM
        /y/l+4mybKJ0RYv8zV945oFeDKskAiEA2NCeyh06MMn9nlcQ7YGqcNUXkMGqk+pI
        OjWYw+vY9lw=
        -----END CERTIFICATE-----
        """

    private static func finding(_ answer: Result<ClientResponse, ClientFailure>, daysBeforeEnd days: Int = 90) throws
        -> Finding
    {
        let end = try #require(Certificate(pem: pem)).endsAt
        return CertificateCheck(at: end - .seconds(days * 86_400)).finding(
            Message("console.checkup.certificate"), of: "acme.example", answer)
    }

    private static func answer(_ certificate: String? = pem) -> Result<ClientResponse, ClientFailure> {
        .success(ClientResponse(status: 404, fields: [], body: [], certificate: certificate))
    }

    private static func key(_ words: LocalizedText?) -> String? {
        if case .message(let message)? = words { message.key } else { nil }
    }

    @Test(arguments: [(90, Finding.Verdict.good), (29, .note), (6, .wrong), (0, .wrong), (-3, .wrong)])
    func `is good for long, for a month, or no more`(days: Int, verdict: Finding.Verdict) throws {
        let finding = try Self.finding(Self.answer(), daysBeforeEnd: days)
        #expect(finding.verdict == verdict && finding.advice.isEmpty == (verdict == .good))
        #expect(Self.key(finding.message) == "console.checkup.certificate.valid")

        let file = CertificateFile("/etc/pippin/chain.pem") { Self.pem }
        let end = try #require(Certificate(pem: Self.pem)).endsAt
        #expect(file.finding(at: end - .seconds(days * 86_400)).verdict == verdict)
    }

    @Test(arguments: [
        CertificateFault.expired, .notYetValid, .selfSigned, .unknownIssuer, .otherName, .oldVersion, .other,
    ]) func `that nobody believes is wrong, with one thing to do`(fault: CertificateFault) throws {
        let finding = try Self.finding(.failure(.untrusted(fault, "SSL_ERROR")))
        #expect(finding.verdict == .wrong && finding.advice.count == 1)
    }

    @Test(arguments: [ClientFailure.nameNotFound, .cannotConnect, .deadlinePassed, .addressRefused("10.0.0.1")])
    func `that cannot be seen from here is a note`(failure: ClientFailure) throws {
        #expect(try Self.finding(.failure(failure)).verdict == .note)
        #expect(try Self.finding(Self.answer(nil)).verdict == .note)
    }

    @Test func `at an address of our own network is not told`() throws {
        let finding = try Self.finding(.failure(.addressRefused("10.0.0.1")))
        #expect(!"\(finding)".contains("10.0.0.1"))
    }

    @Test func `in a file that is none is wrong`() {
        for text in [nil, "", "-----BEGIN PRIVATE KEY-----"] {
            let file = CertificateFile("/etc/pippin/chain.pem") { text }
            #expect(file.finding(at: .now()).verdict == .wrong)
        }
    }
}
