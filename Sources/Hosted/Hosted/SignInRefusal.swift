import Bytes
import Directory
import Domain
import HTTP
import Localization
import OAuth
import Web

/// Message and status of a rejected sign-in.
///
/// They never reveal whether the account exists.
struct SignInRefusal: Sendable {
    let words: Message
    let status: Status
    /// Cause shown to the team.
    let cause: RefusalCause
    let retryAfter: Int?

    init(_ result: SignInResult) {
        switch result {
        case .success, .wrong:
            words = Message("hosted.sign-in.wrong")
            status = .unauthorized
            cause = .passwordWrong
            retryAfter = nil
        case .locked(let wait):
            let seconds = max(1, Int(wait.components.seconds))
            words = Message("hosted.sign-in.locked", count: (seconds + 59) / 60)
            status = .tooManyRequests
            cause = .accountLocked
            retryAfter = seconds
        case .tooMany(let wait):
            let seconds = max(1, Int(wait.components.seconds))
            words = Message("shared.passwords.too-many", count: (seconds + 59) / 60)
            status = .tooManyRequests
            cause = .tooManySignIns
            retryAfter = seconds
        case .busy:
            words = Message("hosted.sign-in.busy")
            status = .serviceUnavailable
            cause = .tooBusy
            retryAfter = 2
        }
    }
}
