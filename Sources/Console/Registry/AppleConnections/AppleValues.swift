import AuthEngine
import Bytes
import Directory
import Domain
import Templates
import Web

/// What somebody enters at Apple so that sign-ins come back here.
struct AppleValues: Sendable {
    private let domain: String
    private let returnURL: String
    private let notificationURL: String
    private let bundleIDs: [ClientID]

    /// - Parameter bundleIDs: the apps of the group, which are clients by their own names.
    init(of team: TeamID, bundleIDs: [ClientID], _ context: EngineContext) {
        // Apple wants the name alone.
        domain = context.publicHost
        returnURL = context.returnURL(of: .apple, in: team)
        notificationURL = context.notificationURL(of: .apple, in: team)
        self.bundleIDs = bundleIDs
    }

    static let fields = Fields<AppleValues>()
        .group("domain", CopyView.fields) { CopyView(Phrase("console.apple.domain"), $0.domain) }
        .group("returnURL", CopyView.fields) { CopyView(Phrase("console.apple.return-url"), $0.returnURL) }
        .group("notificationURL", CopyView.fields) {
            CopyView(Phrase("console.apple.notification-url"), $0.notificationURL)
        }
        .list("bundleIDs", CopyView.fields) { values in
            values.bundleIDs.map { CopyView(Phrase("console.apple.bundle-id"), $0.rawValue) }
        }
}
