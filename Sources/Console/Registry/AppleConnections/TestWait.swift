import Bytes
import HTTP
import Localization
import Templates
import Web

extension Message {
    /// Error for exceeding the team's limit on tests at Apple, with the wait in minutes, rounded up.
    static func appleTestLimited(for wait: Duration) -> Message {
        Message("console.apple.test.limited", count: Int((max(1, wait.components.seconds) + 59) / 60))
    }
}

extension Site {
    /// The page with status 429 and a `Retry-After` field.
    func respond<Page: View>(_ page: LivePage<Page>, _ view: Page, after wait: Duration) -> Response {
        var response = respond(page, view, status: .tooManyRequests)
        response.append(.retryAfter, String(max(1, wait.components.seconds)))
        return response
    }
}
