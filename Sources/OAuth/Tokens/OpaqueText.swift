import Core
import Crypto

/// The form that codes and refresh tokens share.
enum OpaqueText {
    static func make(_ letter: String, tag: String, random: RandomSource) -> String {
        "\(letter)\(Hex.encode(random.bytes(16))).0.\(tag).\(Base64URL.encode(random.bytes(16)))"
    }

    /// The letters that tag a text of this form, or nil for any other text.
    static func tag(of text: String, letter: Unicode.Scalar) -> String? {
        guard text.utf8.count <= 96, text.utf8.first == UInt8(ascii: letter) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count == 33, parts[1] == "0", parts[3].utf8.count == 22 else {
            return nil
        }
        return String(parts[2])
    }
}
