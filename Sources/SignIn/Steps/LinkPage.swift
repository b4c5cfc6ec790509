import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry
import Templates

/// Page of a mailed link; a button performs the action, because programs that scan mail open links too.
struct LinkPage: FormPage {
    static let template = "hosted/link"
    static let fields = formFields.with {
        $0.words("message") { $0.message }
        $0.words("button") { $0.button }
    }

    let form: HostedForm
    let message: Message
    var button = Message("hosted.mail.confirm")
}
