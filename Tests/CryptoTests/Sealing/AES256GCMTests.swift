import Core
import Crypto
import TestSupport
import Testing

/// Test cases 13 to 16 of the GCM submission to NIST (appendix B): those with a 256-bit key and 96-bit nonce.
@Suite struct `AES-256-GCM` {
    struct Case {
        let key: String
        let nonce: String
        let plaintext: String
        var associatedData = ""
        let ciphertext: String
        let tag: String
    }

    static let plaintext = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """

    static let ciphertext = """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        """

    static let cases = [
        Case(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plaintext: "",
            ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Case(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Case(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            plaintext: plaintext, ciphertext: ciphertext, tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Case(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            plaintext: String(plaintext.dropLast(8)), associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: String(ciphertext.dropLast(8)), tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test(arguments: cases) func `answers the published cases`(test: Case) throws {
        let key = try #require(SymmetricKey(try hex(test.key)))
        let nonce = try hex(test.nonce)
        let data = try hex(test.associatedData)
        let plaintext = try hex(test.plaintext)

        let sealed = AES256GCM.seal(plaintext, with: key, associatedData: data, random: RandomSource { _ in nonce })

        #expect(try sealed == nonce + hex(test.ciphertext) + hex(test.tag))
        #expect(AES256GCM.open(sealed, with: key, associatedData: data) == plaintext)
    }

    @Test func `opens nothing that was changed, shortened or extended`() {
        let key = SymmetricKey(random: .system)
        let sealed = AES256GCM.seal([1, 2, 3], with: key, associatedData: [4])

        for other in sealed.spoilt() { #expect(AES256GCM.open(other, with: key, associatedData: [4]) == nil) }
        #expect(AES256GCM.open(sealed, with: key) == nil)
        #expect(AES256GCM.open(sealed, with: SymmetricKey(random: .system), associatedData: [4]) == nil)
    }

    @Test func `takes a new nonce each time`() {
        let key = SymmetricKey(random: .system)

        #expect(AES256GCM.seal([1], with: key) != AES256GCM.seal([1], with: key))
    }

    @Test func `a key is 32 bytes`() {
        #expect(SymmetricKey([UInt8](repeating: 0, count: 31)) == nil)
        #expect(SymmetricKey([UInt8](repeating: 0, count: 33)) == nil)
        #expect(SymmetricKey([UInt8](repeating: 0, count: 32)) != nil)
    }
}
