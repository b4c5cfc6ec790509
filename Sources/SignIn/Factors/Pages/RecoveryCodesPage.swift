import Bytes
import Directory
import Templates
import Web

/// The recovery codes, once.
struct RecoveryCodesPage: HostedPage {
    static let template = "hosted/factors/codes"
    static let fields =
        frameFields
        .group("codes", CopyView.fields) {
            CopyView(
                Phrase("hosted.factors.codes.label"),
                $0.codes.map(\.text).joined(separator: "\n")
            )
        }
        .text("csrf") { $0.formToken }
        .text("fileURL") { $0.fileURL }
        .text("continueURL") { $0.continueURL }

    let frame: HostedFrame
    let codes: [RecoveryCode]
    let formToken: String
    let fileURL: String
    let continueURL: String
}
