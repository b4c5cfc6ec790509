import Core
import Templates

/// Page for an error that the user did not cause; the app receives no response.
struct HostedErrorPage: HostedPage {
    static let template = "hosted/error"
    static let fields = frameFields.with {
        $0.words("headline") { $0.headline }
        $0.words("message") { $0.message }
        $0.words("advice") { $0.advice }
        $0.group("reference", CopyView.fields) { CopyView(Message("hosted.problems.reference"), $0.reference) }
        $0.optionalText("retryURL") { $0.retryURL }
    }

    let frame: HostedFrame
    let headline: LocalizedText
    let message: LocalizedText
    let advice: LocalizedText
    /// Request ID, by which the log contains details.
    let reference: String
    /// Address that continues; nil if there is none.
    let retryURL: String?
}

/// Page after a session has ended.
struct SignedOutPage: HostedPage {
    static let template = "hosted/signed-out"
    static let fields = frameFields.with { $0.optionalText("signInURL") { $0.signInURL } }

    let frame: HostedFrame
    let signInURL: String?
}
