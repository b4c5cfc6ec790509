import AuthEngine
import Directory
import Domain
import HTTP
import Web

/// A refused sign-in in words.
///
/// They never tell whether the account exists.
struct SignInRefusal: Sendable {
    let words: String
    let status: Status
    /// What the team is told.
    let cause: RefusalCause
    let retryAfter: Int?

    init(_ result: SignInResult) {
        switch result {
        case .success, .wrong:
            words = "The e-mail address or the password is not right. Check both and try again."
            status = .unauthorized
            cause = .passwordWrong
            retryAfter = nil
        case .locked(let wait):
            let seconds = max(1, Int(wait.components.seconds))
            words = "There were too many wrong passwords. Try again in \(Self.minutes(seconds))."
            status = .tooManyRequests
            cause = .accountLocked
            retryAfter = seconds
        case .busy:
            words = "Many people are signing in right now. Try again in a few seconds."
            status = .serviceUnavailable
            cause = .tooBusy
            retryAfter = 2
        }
    }

    private static func minutes(_ seconds: Int) -> String {
        let minutes = (seconds + 59) / 60
        return minutes == 1 ? "a minute" : "\(minutes) minutes"
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
