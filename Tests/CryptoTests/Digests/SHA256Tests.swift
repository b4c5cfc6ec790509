import Bytes
import Crypto
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
