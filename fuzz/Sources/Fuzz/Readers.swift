import Accounts
import Core
import Platform

@testable import Crypto
@testable import HTTP
@testable import Registry

/// Parsers of single values from requests, name servers, browsers and providers.
enum Readers {
    /// Values of header fields that handlers read: preferences, content codings, cookies, media types.
    static let header: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = Accept(text)
        _ = ContentCoding.accepted(by: text)
        _ = Language.negotiate(uiLocales: text, acceptLanguage: text)
        _ = MediaType.form.matches(text) || MediaType.multipart.matches(text)
        _ = Target(bytes)
        expect(text.utf8.count > 64 * 1024 || Cookies([text, text]).values(named: "a").count % 2 == 0)
    }

    /// IP addresses: a parsed address has the same meaning as its text, and proxies yield a valid client address.
    static let address: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = IPAddress(text) { expect(IPAddress(address.description) == address, text) }
        guard let local = IPAddress("127.0.0.1"), let block = AddressBlock("127.0.0.0/8") else { return }
        _ = AddressBlock(text)?.contains(local)
        let proxies = TrustedProxies([block])
        let client = proxies.client(behind: local, forwardedFor: text.split(separator: "\n").map(String.init))
        expect(IPAddress(client.description) == client, text)
        _ = proxies.isSecure(behind: local, forwardedProto: [text])
    }

    /// TXT records, one a line, as a name server may return them.
    static let dns: @Sendable ([UInt8]) -> Void = { bytes in
        let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        _ = MailRecord.spf("example.com", in: texts)
        _ = MailRecord.dkim("s._domainkey.example.com", in: texts)
    }

    /// Registration of a passkey, and its authenticator data as an assertion for a known key.
    ///
    /// An input has client data, authenticator data in hexadecimal, and signature, one a line. The hash of the site's
    /// name is corrected, because data with a wrong one is not read any further.
    static let passkey: @Sendable ([UInt8]) -> Void = { bytes in
        guard let party = RelyingParty(publicURL: "https://id.acme.example") else { return }
        let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3, let told = Hex.decode(String(decoding: parts[1], as: UTF8.self)) else { return }
        let data = SHA256.hash(party.id) + told.dropFirst(SHA256.byteCount)
        let challenge = [UInt8](repeating: 7, count: 32)
        let registration = RegistrationResponse(clientDataJSON: parts[0], authenticatorData: data)
        _ = registration.claimedChallenge
        if let credential = try? party.register(registration, challenge: challenge) { expect(!credential.id.isEmpty) }
        let assertion = AssertionResponse(
            credentialID: [1], clientDataJSON: Self.assertionClientData, authenticatorData: data, signature: parts[2],
            userHandle: nil)
        for isBackupEligible in [false, true] {
            let isProved =
                (try? party.verify(
                    assertion, of: CredentialKey(.es256, Self.publicPoint), challenge: challenge, knownCount: 0,
                    isBackupEligible: isBackupEligible, requiresUserVerification: false)) != nil
            expect(!isProved, "nobody has signed this")
        }
    }

    private static let assertionClientData = Array(
        """
        {"type": "webauthn.get", "challenge": "\(Base64URL.encode([UInt8](repeating: 7, count: 32)))", \
        "origin": "https://id.acme.example"}
        """.utf8)

    /// The base point of P-256 (SEC 2 section 2.4.2), whose private key is 1.
    private static let publicPoint =
        Hex.decode(
            """
            6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
            4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
            """) ?? []

    /// Responses of Apple's servers: key sets, and claims of notifications.
    static let provider: @Sendable ([UInt8]) -> Void = { bytes in
        if let keys = try? JWKSet(json: bytes) { expect((try? JWKSet(json: keys.json)) != nil) }
        guard case .object(let members)? = try? JSON.decode(JSONValue.self, from: bytes) else { return }
        let claims = Claims(members)
        _ = try? claims.audience()
        for name in ["iat", "exp", "event_time", "auth_time"] { _ = try? claims.date(name) }
        for name in ["email_verified", "is_private_email"] { _ = try? claims.boolean(name) }
    }

    /// Names and addresses from users and files; an accepted value must be accepted again from its own text.
    static let name: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = EmailAddress(typed: text) {
            expect(EmailAddress(rawValue: address.rawValue) != nil, text)
            expect(EmailAddress(typed: address.shown)?.rawValue.lowercased() == address.rawValue.lowercased(), text)
        }
        if let client = ClientID(rawValue: text) { expect(ClientID(rawValue: client.rawValue) == client, text) }
        _ = try? ClientID(parsing: text)
        _ = try? DisplayText.parse(text, limit: 64)
        for policy in [HostPolicy.hostNames, .hostNamesAndLoopback] {
            if let url = try? ReturnURL(parsing: text, on: nil, policy: policy) { expect(url.text == text, text) }
            _ = try? DomainName(parsing: text, policy: policy)
            _ = try? NotificationURL(parsing: text, policy: policy)
        }
        _ = ReturnURLComparison(text, with: [ReturnURL(stored: "https://acme.example/callback")])
        if let secret = TOTPSecret(text: text) { expect(TOTP.step(ofCode: text, secret: secret, atSeconds: 0) == nil) }
    }

    /// Parses registry files.
    static let registryFile: @Sendable ([UInt8]) -> Void = { bytes in _ = try? RegistryFile(parsing: bytes) { _ in [] }
    }
}
