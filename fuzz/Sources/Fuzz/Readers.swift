import Bytes
import Crypto
import Domain
import Provisioning

@testable import HTTP
@testable import Providers
@testable import Registry
@testable import WebAuthn

/// Readers of single values from requests, name servers, browsers and providers.
enum Readers {
    /// Values of header fields that a handler reads: what is preferred, which coding, which cookie, which media type.
    static let header: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = Accept(text)
        _ = ContentCoding.accepted(by: text)
        _ = Language.negotiate(uiLocales: text, acceptLanguage: text)
        _ = MediaType.form.matches(text) || MediaType.multipart.matches(text)
        _ = Target(bytes)
        expect(text.utf8.count > 64 * 1024 || Cookies([text, text]).values(named: "a").count % 2 == 0)
    }

    /// Addresses: an address that is read is read the same from its own text, and proxies name a readable one.
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

    /// TXT records, one a line, as a name server may answer them.
    static let dns: @Sendable ([UInt8]) -> Void = { bytes in
        let texts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        .map(String.init)
        _ = MailRecord.spf("example.com", in: texts)
        _ = MailRecord.dkim("s._domainkey.example.com", in: texts)
    }

    /// A passkey's registration and its answer, whose parts a zero octet divides: client data, authenticator data, signature.
    static let passkey: @Sendable ([UInt8]) -> Void = { bytes in
        guard let party = RelyingParty(publicURL: "https://id.acme.example") else { return }
        let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map(
            Array.init
        )
        guard parts.count == 3, let data = Hex.decode(String(decoding: parts[1], as: UTF8.self)) else {
            return
        }
        let challenge = [UInt8](repeating: 7, count: 32)
        let registration = RegistrationResponse(clientDataJSON: parts[0], authenticatorData: data)
        _ = registration.claimedChallenge
        guard let credential = try? party.register(registration, challenge: challenge) else { return }
        expect(!credential.id.isEmpty)
        let assertion = AssertionResponse(
            credentialID: credential.id,
            clientDataJSON: parts[0],
            authenticatorData: data,
            signature: parts[2],
            userHandle: nil
        )
        let isProved =
            (try? party.verify(
                assertion,
                of: credential.key,
                challenge: challenge,
                knownCount: credential.signCount,
                isBackupEligible: credential.isBackupEligible,
                requiresUserVerification: false
            )) != nil
        expect(!isProved, "a registration is no assertion")
    }

    /// What Apple's servers answer: key sets, and claims of notices.
    static let provider: @Sendable ([UInt8]) -> Void = { bytes in
        if let keys = try? JWKSet(json: bytes) { expect((try? JWKSet(json: keys.json)) != nil) }
        guard case .object(let members)? = try? JSON.decode(JSONValue.self, from: bytes) else { return }
        let claims = Claims(members)
        _ = try? claims.audience()
        for name in ["iat", "exp", "event_time", "auth_time"] { _ = try? claims.optionalDate(name) }
        for name in ["email_verified", "is_private_email"] { _ = try? claims.boolean(name) }
    }

    /// Names and addresses that people type or files hold; what is taken is taken again as it stands.
    static let name: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = EmailAddress(rawValue: text) {
            expect(EmailAddress(rawValue: address.rawValue) != nil, text)
        }
        if let client = ClientID(rawValue: text) {
            expect(ClientID(rawValue: client.rawValue) == client, text)
        }
        _ = try? ClientID(parsing: text)
        _ = try? DisplayText.parse(text, limit: 64)
        for policy in [AddressPolicy.hostNames, .hostNamesAndLoopback] {
            if let url = try? ReturnURL(parsing: text, on: nil, policy: policy) {
                expect(url.text == text, text)
            }
            _ = try? DomainName(parsing: text, policy: policy)
            _ = try? NotificationURL(parsing: text, policy: policy)
        }
        _ = ReturnURLComparison(text, with: [ReturnURL(stored: "https://acme.example/callback")])
        if let secret = TOTPSecret(text: text) {
            expect(TOTP.step(ofCode: text, secret: secret, atSeconds: 0) == nil)
        }
    }

    /// Registry files; one that is read is read again as it is written, but for what is never exported.
    static let registryFile: @Sendable ([UInt8]) -> Void = { bytes in
        _ = try? RegistryFile(parsing: bytes) { _ in [] }
    }
}
