import Core

extension String {
    /// The text as a password: in Unicode normalization form C, every space as U+0020 (RFC 8265 section 4.2.2,
    /// OpaqueString; NIST SP 800-63B section 5.1.1.2).
    ///
    /// Keyboards write the same letter as one scalar or as two.
    var normalizedPassword: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return String(scalars).normalizedC
    }

    /// Whether the text is short enough to be a password.
    var isPossiblePassword: Bool {
        unicodeScalars.prefix(NewPassword.maximumLength + 1).count <= NewPassword.maximumLength
    }
}
