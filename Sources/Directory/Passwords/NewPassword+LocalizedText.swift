public import Core

extension NewPassword.Problem {
    /// Message that describes the problem and how to fix it.
    public var words: Message {
        switch self {
        case .tooShort(let minimum): Message("shared.passwords.too-short", count: minimum)
        case .tooLong: Message("shared.passwords.too-long", count: NewPassword.maximumLength)
        case .common: Message("shared.passwords.common")
        case .personal: Message("shared.passwords.personal")
        }
    }
}
