import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform

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
        case .locked(let refusal):
            words = refusal.message
            status = .tooManyRequests
            cause = .accountLocked
            retryAfter = refusal.retryAfter
        case .busy:
            words = Message("hosted.sign-in.busy")
            status = .serviceUnavailable
            cause = .tooBusy
            retryAfter = 2
        }
    }
}
