import Core
import Directory
import Templates

/// Page that shows new recovery codes, once.
struct RecoveryCodesPage: HostedPage {
    static let template = "hosted/factors/codes"
    static let fields = frameFields.with {
        $0.group("codes", CopyView.fields) {
            CopyView(Message("hosted.factors.codes.label"), $0.codes.map(\.text).joined(separator: "\n"))
        }
        $0.text("csrf") { $0.formToken }
        $0.text("fileURL") { $0.fileURL }
        $0.text("continueURL") { $0.continueURL }
    }

    let frame: HostedFrame
    let codes: [RecoveryCode]
    let formToken: String
    let fileURL: String
    let continueURL: String
}
