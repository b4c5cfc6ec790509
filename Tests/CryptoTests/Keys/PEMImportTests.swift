import Core
import Crypto
import TestSupport
import Testing

@Suite struct `PEM import` {
    static let good = SamplePEM.rfc7515P256

    /// A text and why it is no key; printed by its name, since thirty keys drown a test log.
    struct Refusal: CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let failure: KeyFailure

        init(_ name: String, _ text: String, _ failure: KeyFailure) {
            testDescription = name
            self.text = text
            self.failure = failure
        }
    }

    /// Ways to paste the good key.
    static let spellings: [(name: String, text: String)] = [
        ("as it is", good), ("CRLF", good.replacing("\n", with: "\r\n")), ("CR", good.replacing("\n", with: "\r")),
        ("literal line ends", good.replacing("\n", with: #"\n"#)),
        ("literal CRLF", good.replacing("\n", with: #"\r\n"#)), ("indented", good.replacing("\n", with: "\n    ")),
        ("leading spaces", "    " + good), ("byte order mark", "\u{FEFF}" + good),
        ("no final line end", String(good.dropLast())), ("empty lines behind", good + "\n\n"),
        ("spaces for line ends", good.replacing("\n", with: " ")), ("no line ends", good.replacing("\n", with: "")),
        ("text before", "Bag Attributes: <No Attributes>\n" + good), ("text behind", good + "That was the key."),
        ("em dashes for hyphens", good.replacing("-", with: "\u{2014}")),
        ("en dashes for hyphens", good.replacing("-", with: "\u{2013}")),
        ("hyphens joined to dashes", good.replacing("-----", with: "\u{2014}\u{2014}-")),
        ("minus signs and hyphens", good.replacing("-----", with: "\u{2212}\u{2010}\u{2011}--")),
        ("no-break spaces in the lines", good.replacing(" ", with: "\u{A0}")),
        ("no-break spaces at line ends", good.replacing("\n", with: "\u{A0}\n")),
        ("zero-width spaces", good.replacing("MIGH", with: "MI\u{200B}GH\u{2060}")),
        ("base64 of the whole file", Base64.encode(Array(good.utf8))),
        ("the contents alone", good.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")),
        (
            "all of it at once",
            "Our key – here it is:\n"
                + good.replacing("-----", with: "\u{2014}\u{2014}-").replacing("\n", with: "\u{A0}")
        ),
    ]

    @Test func `reads a private key however it was pasted`() throws {
        for (name, text) in Self.spellings {
            let key = try? P256SigningKey(pem: text)
            #expect(key?.pem == Self.good && key?.publicKey.pem == SamplePEM.rfc7515P256Public, "\(name)")
        }
    }

    static let refusals: [Refusal] = [
        Refusal("nothing", "", .notPEM), Refusal("a file name", "AuthKey_ACMEKEY001.p8", .notPEM),
        Refusal("no first line", String(good.dropFirst(27)), .notPEM),
        Refusal("half a first line", "-----BEGIN ", .notPEM),
        Refusal("lower case label", "-----BEGIN private key-----\n-----END private key-----", .notPEM),
        Refusal("no label", "-----BEGIN -----", .notPEM),
        Refusal("cut in the last line", String(good.dropLast(5)), .incomplete),
        Refusal("cut in the middle", String(good.prefix(100)), .incomplete),
        Refusal("labels that differ", good.replacing("END PRIVATE", with: "END PUBLIC"), .incomplete),
        Refusal("a character missing", good.replacing("MIGH", with: "MIG"), .incomplete),
        Refusal("a foreign character", good.replacing("MIGH", with: "MIG*"), .incomplete),
        Refusal("nothing inside", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .incomplete),
        Refusal("twice", good + good, .severalBlocks),
        Refusal("twice, with dashes", (good + good).replacing("-", with: "\u{2014}"), .severalBlocks),
        Refusal("cut, with dashes", String(good.prefix(100)).replacing("-", with: "\u{2014}"), .incomplete),
        Refusal("base64 of another text", Base64.encode(Array("no key, of no length either".utf8)), .notPEM),
        Refusal("half of the contents", String(good.split(separator: "\n")[1].prefix(48)), .malformed),
        Refusal(
            "SEC1 alone", "MHcCAQEEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABoAoGCCqGSM49",
            .unsupportedLabel("EC PRIVATE KEY")),
        Refusal("with its public half behind", good + SamplePEM.rfc7515P256Public, .severalBlocks),
        Refusal("beyond measure", good + String(repeating: " ", count: PEM.maximumCount), .tooLarge),
        Refusal("encrypted", SamplePEM.encrypted, .encrypted),
        Refusal("public", SamplePEM.rfc7515P256Public, .publicKey),
        Refusal("SEC 1", SamplePEM.sec1, .unsupportedLabel("EC PRIVATE KEY")),
        Refusal("certificate", good.replacing("PRIVATE KEY", with: "CERTIFICATE"), .unsupportedLabel("CERTIFICATE")),
        Refusal("RSA", SamplePEM.rfc7515RSA, .unsupportedAlgorithm("RSA")),
        Refusal("Ed25519", SamplePEM.ed25519, .unsupportedAlgorithm("ED25519")),
        Refusal("P-384", SamplePEM.p384, .unsupportedCurve("secp384r1")),
        Refusal("secp256k1", SamplePEM.secp256k1, .unsupportedCurve("secp256k1")),
        Refusal("spelled-out parameters", SamplePEM.explicitP256, .unsupportedCurve("")),
        // Before OpenSSL computes with what they hold, which is no key at all.
        Refusal("DSA", SamplePEM.hollow([0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1]), .unsupportedAlgorithm("DSA")),
        Refusal(
            "Diffie-Hellman", SamplePEM.hollow([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 3, 1]),
            .unsupportedAlgorithm("dhKeyAgreement")),
        Refusal("an algorithm of nobody's", SamplePEM.hollow([0x2A, 0x03, 0x04]), .malformed),
        Refusal(
            "a curve of many numbers", SamplePEM.hollow([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1], octets: 600),
            .unsupportedCurve("")),
        Refusal(
            "a curve by parameters that make none",
            SamplePEM.hollow(
                [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1],
                parameters: SamplePEM.element(0x30, [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 1, 1])), .unsupportedCurve("")),
        Refusal("three zero bytes", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .malformed),
        Refusal(
            "public labelled private", SamplePEM.rfc7515P256Public.replacing("PUBLIC", with: "PRIVATE"), .malformed),
        Refusal("halves of two keys", good.replacing("E9LKhR", with: "E9LOhR"), .malformed),
        Refusal("a point beside the curve", good.replacing("iOWt\n", with: "iOWs\n"), .malformed),
        Refusal("a byte behind", good.replacing("iOWt\n", with: "iOWtAA==\n"), .malformed),
    ]

    @Test(arguments: refusals) func `refuses a private key and says why`(refusal: Refusal) {
        #expect(throws: refusal.failure) { try P256SigningKey(pem: refusal.text) }
    }

    static let publicRefusals: [Refusal] = [
        Refusal("nothing", "", .notPEM), Refusal("private", good, .privateKey),
        Refusal("encrypted", SamplePEM.encrypted, .privateKey), Refusal("SEC 1", SamplePEM.sec1, .privateKey),
        Refusal("RSA", SamplePEM.rfc7515RSAPublic, .unsupportedAlgorithm("RSA")),
        Refusal("P-384", SamplePEM.p384Public, .unsupportedCurve("secp384r1")),
        Refusal("private labelled public", good.replacing("PRIVATE", with: "PUBLIC"), .malformed),
        Refusal("loose last bits", SamplePEM.rfc7515P256Public.replacing("jlrQ==", with: "jlrR=="), .incomplete),
        Refusal(
            "a point beside the curve", SamplePEM.rfc7515P256Public.replacing("jlrQ==", with: "jlrA=="), .malformed),
    ]

    @Test(arguments: publicRefusals) func `refuses a public key and says why`(refusal: Refusal) {
        #expect(throws: refusal.failure) { try P256PublicKey(pem: refusal.text) }
    }

    static let rsaRefusals: [Refusal] = [
        Refusal("1,024 bits", SamplePEM.rsa1024, .unsupportedSize(bits: 1024)),
        Refusal("P-256", good, .unsupportedAlgorithm("EC")), Refusal("public", SamplePEM.rfc7515RSAPublic, .publicKey),
        Refusal("another modulus", SamplePEM.rfc7515RSA.replacing("AoIBAQCh", with: "AoIBAQDh"), .malformed),
    ]

    @Test(arguments: rsaRefusals) func `refuses an RSA key and says why`(refusal: Refusal) {
        #expect(throws: refusal.failure) { try RSASigningKey(pem: refusal.text) }
    }

    @Test func `refuses a short public RSA key`() {
        #expect(throws: KeyFailure.unsupportedSize(bits: 1024)) { try RSAPublicKey(pem: SamplePEM.rsa1024Public) }
        #expect(throws: KeyFailure.privateKey) { try RSAPublicKey(pem: SamplePEM.rfc7515RSA) }
    }

    @Test func `meets garbage without a trap`() {
        var garbage = Garbage(seed: 1)
        let samples = [Self.good, SamplePEM.rfc7515P256Public, SamplePEM.rfc7515RSA, SamplePEM.encrypted]

        for round in 0..<3000 {
            let text = garbage.text(like: samples[round % samples.count])
            let signing = try? P256SigningKey(pem: text)
            let verifying = try? P256PublicKey(pem: text)
            // What still reads must be a key: it signs, and its signature holds.
            if let signing, let signature = try? signing.sign([1]) {
                #expect(signing.publicKey.isValid(signature, for: [1]))
            }
            #expect(signing == nil || verifying == nil)
        }
    }
}
