import Core
import Crypto
import Directory
import HTTP
import Templates

/// Page that shows new recovery codes, once.
///
/// Its form returns them as a file.
struct RecoveryCodesPage: FormPage {
    static let template = "hosted/factors/codes"
    static let fields = formFields.with {
        $0.group("codes", CopyView.fields) {
            CopyView(Message("hosted.factors.codes.label"), $0.codes.map(\.text).joined(separator: "\n"))
        }
        $0.text("continueURL") { $0.continueURL }
    }

    let form: HostedForm
    let codes: [RecoveryCode]
    let continueURL: String
}
