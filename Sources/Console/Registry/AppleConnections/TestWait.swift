import Bytes
import HTTP
import Templates
import Web

extension Phrase {
    /// Apple was asked too often by this team; the wait is said in whole minutes, rounded up.
    static func appleTestLimited(for wait: Duration) -> Phrase {
        Phrase("console.apple.test.limited", count: Int((max(1, wait.components.seconds) + 59) / 60))
    }
}

extension Site {
    /// The page, with 429 and the time after which to try again.
    func respond<Page: View>(_ page: LivePage<Page>, _ view: Page, after wait: Duration) -> Response {
        var response = respond(page, view, status: .tooManyRequests)
        response.append(.retryAfter, String(max(1, wait.components.seconds)))
        return response
    }
}
