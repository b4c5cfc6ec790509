import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

/// A refused sign-in in words.
///
/// They never tell whether the account exists.
struct SignInRefusal: Sendable {
    let words: Phrase
    let status: Status
    /// What the team is told.
    let cause: RefusalCause
    let retryAfter: Int?

    init(_ result: SignInResult) {
        switch result {
        case .success, .wrong:
            words = Phrase("hosted.sign-in.wrong")
            status = .unauthorized
            cause = .passwordWrong
            retryAfter = nil
        case .locked(let wait):
            let seconds = max(1, Int(wait.components.seconds))
            words = Phrase("hosted.sign-in.locked", count: (seconds + 59) / 60)
            status = .tooManyRequests
            cause = .accountLocked
            retryAfter = seconds
        case .tooMany(let wait):
            let seconds = max(1, Int(wait.components.seconds))
            words = Phrase("shared.passwords.too-many", count: (seconds + 59) / 60)
            status = .tooManyRequests
            cause = .tooManySignIns
            retryAfter = seconds
        case .busy:
            words = Phrase("hosted.sign-in.busy")
            status = .serviceUnavailable
            cause = .tooBusy
            retryAfter = 2
        }
    }
}
