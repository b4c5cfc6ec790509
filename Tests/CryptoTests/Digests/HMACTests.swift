import Bytes
import Crypto
import Testing

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
    ]

    @Test(arguments: cases) func `answers RFC 4231`(test: Case) throws {
        let hmac = HMACSHA256(key: try hex(test.key))
        let data = try hex(test.data)

        #expect(Hex.encode(hmac.code(for: data)) == test.code)
        #expect(Hex.encode(hmac.code(for: data)) == test.code, "a second code under the same key")
        #expect(hmac.isValid(try hex(test.code), for: data))
        #expect(!hmac.isValid(try hex(test.code), for: data + [0]))
        #expect(!hmac.isValid(Array(try hex(test.code).dropLast()), for: data))
    }

    @Test func `takes an empty key`() {
        let code = HMACSHA256(key: [UInt8]()).code(for: [])

        #expect(Hex.encode(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func `serves many threads with one key`() async {
        let hmac = HMACSHA256(key: [1, 2, 3])
        let expected = hmac.code(for: [4])

        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).allSatisfy { _ in hmac.code(for: [4]) == expected } } }
            for await agrees in group { #expect(agrees) }
        }
    }
}
