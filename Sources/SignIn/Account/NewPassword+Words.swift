import Bytes
import Directory

extension NewPassword.Problem {
    /// What is wrong, in words.
    var words: Phrase {
        switch self {
        case .tooShort: Phrase("hosted.password.too-short")
        case .tooLong: Phrase("hosted.password.too-long")
        case .isEmail: Phrase("hosted.password.is-email")
        }
    }
}
