import Bytes
import Templates
import Web

/// Something is wrong that the person did not cause, and no app is called.
struct HostedErrorPage: HostedPage {
    static let template = "hosted/error"
    static let fields =
        frameFields
        .words("headline") { $0.headline }
        .words("message") { $0.message }
        .words("advice") { $0.advice }
        .group("reference", CopyView.fields) { CopyView(Phrase("hosted.problems.reference"), $0.reference) }
        .optionalText("retryURL") { $0.retryURL }

    let frame: HostedFrame
    let headline: Words
    let message: Words
    let advice: Words
    /// The request id, under which the log knows more.
    let reference: String
    /// A way to go on, where there is one.
    let retryURL: String?
}

/// The end of a session.
struct SignedOutPage: HostedPage {
    static let template = "hosted/signed-out"
    static let fields =
        frameFields
        .optionalText("signInURL") { $0.signInURL }

    let frame: HostedFrame
    let signInURL: String?
}
