import Bytes
import HTTP
import Localization
import Templates
import Web

/// Error page in the console's layout.
struct ConsoleErrorPage: PlainPage {
    static let template = "console/error"
    static let fields = frameFields.with {
        $0.text("status") { String($0.problem.status.code) }
        $0.words("headline") { $0.problem.headline }
        $0.words("message") { $0.problem.message }
        $0.words("advice") { $0.problem.advice }
        $0.group("requestID", CopyView.fields) { CopyView(Message("console.errors.copy-reference"), $0.requestID) }
        $0.optionalText("backURL") { $0.back?.url }
        $0.text("backLabel") { $0.back?.label ?? "" }
    }

    /// Link from the error page to a page that the user may open.
    struct Back: Sendable {
        let url: String
        let label: String
    }

    let frame: PlainFrame
    let problem: UserFacingError
    let requestID: String
    var back: Back?
}
