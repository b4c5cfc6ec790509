import Bytes
import HTTP
import Templates
import Web

// What is asked of Apple too often.
extension Duration {
    /// In whole minutes, rounded up.
    var words: Phrase {
        Phrase("console.apple.test.limited", count: Int((max(1, components.seconds) + 59) / 60))
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
