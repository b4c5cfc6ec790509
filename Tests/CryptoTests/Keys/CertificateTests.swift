import Bytes
import Crypto
import Testing

@Suite struct `A certificate` {
    /// Made by OpenSSL, valid for ten years.
    static let pem = """
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

    @Test func `says until when it is good`() throws {
        #expect(Certificate(pem: Self.pem)?.endsAt.description == "2036-11-19T02:28:05Z")
    }

    @Test(arguments: [
        "", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ]) func `that is none has no end`(text: String) { #expect(Certificate(pem: text)?.endsAt == nil) }
}
