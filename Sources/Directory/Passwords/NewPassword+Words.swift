public import Bytes

extension NewPassword.Problem {
    /// What is wrong and what to do about it, in words.
    public var words: Phrase {
        switch self {
        case .tooShort(let minimum): Phrase("shared.passwords.too-short", count: minimum)
        case .tooLong: Phrase("shared.passwords.too-long", count: NewPassword.maximumLength)
        case .common: Phrase("shared.passwords.common")
        case .personal: Phrase("shared.passwords.personal")
        }
    }
}
