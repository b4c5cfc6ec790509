/// The names texts have.
enum TextKey {
    /// Parts of letters, digits, `-` and `_`, joined by dots.
    static func isKey(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= Limit.nameBytes * 3
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                part in
                !part.isEmpty
                    && part.allSatisfy {
                        $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                    }
            }
    }
}
