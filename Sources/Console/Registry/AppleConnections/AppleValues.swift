import Bytes
import Directory
import Domain
import Federation
import Localization
import Templates
import Web

/// Values to enter in Apple's developer portal, so that sign-ins return to this server.
struct AppleValues: Sendable {
    private let domain: String
    private let returnURL: String
    private let notificationURL: String
    private let bundleIDs: [ClientID]

    /// - Parameter bundleIDs: the bundle IDs of the group, each of which is a client of its own at Apple.
    init(of team: TeamID, bundleIDs: [ClientID], _ server: ServerContext) {
        // Apple expects a host name, not a URL.
        domain = server.publicHost
        returnURL = server.returnURL(of: .apple, in: team)
        notificationURL = server.notificationURL(of: .apple, in: team)
        self.bundleIDs = bundleIDs
    }

    static let fields = Fields<AppleValues> {
        $0.group("domain", CopyView.fields) { CopyView(Message("console.apple.domain"), $0.domain) }
        $0.group("returnURL", CopyView.fields) { CopyView(Message("console.apple.return-url"), $0.returnURL) }
        $0.group("notificationURL", CopyView.fields) {
            CopyView(Message("console.apple.notification-url"), $0.notificationURL)
        }
        $0.list("bundleIDs", CopyView.fields) { values in
            values.bundleIDs.map { CopyView(Message("console.apple.bundle-id"), $0.rawValue) }
        }
    }
}
