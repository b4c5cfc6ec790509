import Core
import Templates

/// Hosted page with a form.
protocol FormPage: FramedPage<HostedFrame> { var form: HostedForm { get } }

extension FormPage {
    var frame: HostedFrame { form.frame }

    /// Fields of the layout and of the form, to which each page adds its own.
    static var formFields: Fields<Self> {
        frameFields.with {
            $0.text("action") { $0.form.action }
            $0.text("csrf") { $0.form.token }
            $0.optionalText("backURL") { $0.form.backURL }
            $0.optionalText("restart") { $0.form.restart }
        }
    }
}

/// Page for an error that the user did not cause; the app receives no response.
struct HostedErrorPage: FramedPage {
    static let template = "hosted/error"
    static let fields = frameFields.with {
        $0.words("headline") { $0.headline }
        $0.words("message") { $0.message }
        $0.words("advice") { $0.advice }
        $0.group("reference", CopyView.fields) { CopyView(Message("hosted.problems.reference"), $0.reference) }
        $0.text("nextURL") { $0.next.url }
        $0.words("nextLabel") { $0.next.label }
    }

    let frame: HostedFrame
    let headline: LocalizedText
    let message: LocalizedText
    let advice: LocalizedText
    /// Request ID, by which the log contains details.
    let reference: String
    let next: WayOn
}
