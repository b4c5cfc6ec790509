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
        case .busy:
            words = Phrase("hosted.sign-in.busy")
            status = .serviceUnavailable
            cause = .tooBusy
            retryAfter = 2
        }
    }
}

/// A browser in which this login name has signed in before: it keeps working while strangers lock the account.
struct KnownBrowser: Sendable {
    let team: TeamID
    /// What the cookie's MAC is made over; names the browser to the counters.
    let secret: String

    init(_ team: TeamID, login: String, browser: String) {
        self.team = team
        secret = "known-browser|\(team)|\(login.lowercased())|\(browser)"
    }

    func cookieName(_ cookies: CookieNames) -> String {
        cookies.session(of: team) + "-known"
    }
}
