import Crypto
import Testing

@Suite struct `A relying party` {
    @Test(arguments: [
        ("https://id.acme.example", "id.acme.example"), ("https://id.acme.example:8443", "id.acme.example"),
        ("http://localhost:8080", "localhost"), ("http://acme.localhost", "acme.localhost"),
    ]) func `is a host with a name, in a secure context`(url: String, id: String) throws {
        let party = try #require(RelyingParty(publicURL: url))

        #expect(party.id == id)
        #expect(party.origin == url)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080", "https://192.0.2.7", "https://[::1]:8443", "http://id.acme.example", "https://",
        "localhost", "",
    ]) func `is no address, and nothing without TLS`(url: String) { #expect(RelyingParty(publicURL: url) == nil) }
}
