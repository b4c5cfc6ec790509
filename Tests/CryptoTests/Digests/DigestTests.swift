import Core
import Crypto
import TestSupport
import Testing

@Suite struct `SHA-256` {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func `answers the examples of FIPS 180`(message: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(message)) == digest)
        #expect(Hex.encode(SHA256.hash(Array(message.utf8))) == digest)
    }

    @Test func `takes a million letters`() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)

        let digest = Hex.encode(SHA256.hash(message))

        #expect(digest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}

@Suite struct `Constant-time comparison` {
    @Test func `is equality`() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equal("Ada", "Ada"))
        #expect(!ConstantTime.equal("Ada", "Ben"))
    }
}

/// Test cases 1 to 4, 6 and 7 of RFC 4231 section 4 (5 is about truncation).
@Suite struct `HMAC-SHA256` {
    struct Case {
        let key: String
        let data: String
        let code: String
    }

    static let cases = [
        Case(
            key: String(repeating: "0b", count: 20), data: Hex.encode("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            key: Hex.encode("Jefe".utf8), data: Hex.encode("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            key: String(repeating: "aa", count: 20), data: String(repeating: "dd", count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Case(
            key: "0102030405060708090a0b0c0d0e0f10111213141516171819", data: String(repeating: "cd", count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Case(
            key: String(repeating: "aa", count: 131),
            data: Hex.encode("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Case(
            key: String(repeating: "aa", count: 131),
            data: Hex.encode(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        Case(key: "", data: "", code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: cases) func `answers RFC 4231, and takes an empty key`(test: Case) throws {
        let hmac = HMACSHA256(key: try hex(test.key))
        let data = try hex(test.data)

        #expect(Hex.encode(hmac.code(for: data)) == test.code)
        #expect(Hex.encode(hmac.code(for: data)) == test.code, "a second code under the same key")
        #expect(hmac.code(for: data) == (try hex(test.code)))
        #expect(hmac.code(for: data + [0]) != (try hex(test.code)))
    }

    @Test func `serves many threads with one key`() async throws {
        let hmac = HMACSHA256(key: [1, 2, 3])
        let expected = hmac.code(for: [4])
        let agree = try await race(8) { _ in (0..<500).allSatisfy { _ in hmac.code(for: [4]) == expected } }

        #expect(agree.allSatisfy { $0 })
    }
}

/// Test cases 1 to 3 of RFC 5869 appendix A.
@Suite struct `HKDF-SHA256` {
    private struct Case {
        let secret: [UInt8]
        var salt: [UInt8] = []
        var info: [UInt8] = []
        let key: String
    }

    private static let cases = [
        Case(
            secret: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9),
            key: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        Case(
            secret: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
            key: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        Case(
            secret: [UInt8](repeating: 0x0b, count: 22),
            key: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ]

    @Test func `answers RFC 5869`() {
        for test in Self.cases {
            let key = HKDFSHA256.derive(
                test.key.utf8.count / 2, from: test.secret.span, salt: test.salt, info: test.info)
            #expect(Hex.encode(key) == test.key)
        }
    }
}
