import Bytes
import Crypto
import Testing

/// Test cases 1 to 3 of RFC 5869 appendix A.
@Suite struct `HKDF-SHA256` {
    @Test func `answers the basic case`() throws {
        let key = HKDFSHA256.derive(
            42, from: [UInt8](repeating: 0x0b, count: 22).span, salt: try hex("000102030405060708090a0b0c"),
            info: try hex("f0f1f2f3f4f5f6f7f8f9"))

        #expect(
            try key
                == hex(
                    """
                    3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf
                    34007208d5b887185865
                    """))
    }

    @Test func `answers longer inputs and outputs`() throws {
        let key = HKDFSHA256.derive(
            82, from: Array(UInt8(0x00)...0x4f).span, salt: Array(UInt8(0x60)...0xaf), info: Array(UInt8(0xb0)...0xff))

        #expect(
            try key
                == hex(
                    """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
                    59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
                    cc30c58179ec3e87c14c01d5c1f3434f1d87
                    """))
    }

    @Test func `answers without salt and info`() throws {
        let key = HKDFSHA256.derive(42, from: [UInt8](repeating: 0x0b, count: 22).span, info: [])

        #expect(
            try key
                == hex(
                    """
                    8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d
                    9d201395faa4b61a96c8
                    """))
    }
}
