import TestSupport
import Testing

@testable import Crypto

@Suite struct `One-time codes` {
    private func rfcSecret() throws -> TOTPSecret { try #require(TOTPSecret(Array("12345678901234567890".utf8))) }

    /// RFC 4226 appendix D.
    @Test func `are those of RFC 4226`() throws {
        let codes = try (0..<10).map { TOTP.code(of: try rfcSecret(), step: $0) }

        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ])
    }

    /// RFC 6238 appendix B, whose eight digits end in our six.
    @Test(arguments: [
        (59, "287082"), (59, "287 082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"),
        (1_234_567_890, "005924"), (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ]) func `are those of RFC 6238, and may be typed in groups`(seconds: Int, code: String) throws {
        let step = TOTP.step(ofCode: code, secret: try rfcSecret(), atSeconds: seconds)

        #expect(step == seconds / 30)
    }

    @Test func `work one step before and after their own, and no longer`() throws {
        let secret = try rfcSecret()
        let code = TOTP.code(of: secret, step: 1000)

        for offset in [-30, 0, 29, 30, 59] {
            #expect(TOTP.step(ofCode: code, secret: secret, atSeconds: 30_000 + offset) == 1000, "\(offset)")
        }
        for offset in [-31, 60] {
            #expect(TOTP.step(ofCode: code, secret: secret, atSeconds: 30_000 + offset) == nil, "\(offset)")
        }
    }

    @Test(arguments: ["", "28708", "2870822", "28708२१", "x", "-87082", "287082x"])
    func `are refused in any other spelling`(code: String) throws {
        #expect(TOTP.step(ofCode: code, secret: try rfcSecret(), atSeconds: 59) == nil)
    }

    @Test func `survive any moment and any text`() throws {
        var garbage = Garbage(seed: 6238)
        let secret = try rfcSecret()

        for _ in 0..<500 {
            let code = garbage.text(like: "287082")
            for seconds in [Int.min, -1, 0, 29, Int(Int32.max) * 4] {
                _ = TOTP.step(ofCode: code, secret: secret, atSeconds: seconds)
            }
        }
    }
}

@Suite struct `A secret for one-time codes` {
    @Test func `is 160 random bits and is read as it is written`() throws {
        let secret = TOTPSecret(random: .system)

        #expect(secret.bytes.count == 20)
        #expect(secret.text.utf8.count == 32)
        #expect(TOTPSecret(text: secret.text)?.bytes == secret.bytes)
        #expect(TOTPSecret(text: secret.readable.lowercased())?.bytes == secret.bytes)
        #expect("\(secret)" == "TOTPSecret")
    }

    @Test func `from elsewhere may be shorter, to a point`() {
        #expect(TOTPSecret(text: "JBSWY3DPEHPK3PXP") != nil)
        #expect(TOTPSecret(text: "JBSWY3DPEHPK3P") == nil)
        #expect(TOTPSecret(text: String(repeating: "A", count: 104)) == nil)
        #expect(TOTPSecret(text: "JBSWY3DPEHPK3PX1") == nil)
        #expect(TOTPSecret(text: String(repeating: " ", count: 100_000)) == nil)
    }

    @Test func `tells an app issuer and account, whatever they are called`() throws {
        let secret = try #require(TOTPSecret(text: "JBSWY3DPEHPK3PXP"))

        #expect(
            secret.uri(issuer: "Acme: Öl & Co", account: "ada@acme.example")
                == "otpauth://totp/Acme%20%C3%96l%20%26%20Co:ada%40acme.example?secret=JBSWY3DPEHPK3PXP"
                + "&issuer=Acme%3A%20%C3%96l%20%26%20Co&algorithm=SHA1&digits=6&period=30")
    }
}
