import Bytes
import HTTP
import Templates
import Web

/// A refusal in words, in the console's clothes.
struct ConsoleErrorPage: PlainPage {
    static let template = "console/error"
    static let fields =
        frameFields
        .text("status") { String($0.problem.status.code) }
        .words("headline") { $0.problem.headline }
        .words("message") { $0.problem.message }
        .words("advice") { $0.problem.advice }
        .group("requestID", CopyView.fields) {
            CopyView(Phrase("console.errors.copy-reference"), $0.requestID)
        }
        .optionalText("backURL") { $0.back?.url }
        .text("backLabel") { $0.back?.label ?? "" }

    /// The way out that fits best.
    struct Back: Sendable {
        let url: String
        let label: String
    }

    let frame: PlainFrame
    let problem: Problem
    let requestID: String
    var back: Back?
}
