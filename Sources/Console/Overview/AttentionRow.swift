import Bytes
import Domain
import HTTP
import Localization
import OAuth
import Templates
import Web

/// An unused, outdated or incomplete item of a team, with the URL of its page.
struct AttentionRow: Sendable {
    let attention: TeamAttention
    let team: TeamID

    private var url: String {
        switch attention.kind {
        case .keyNeverUsed, .keyUnused, .keyOld:
            KeyID(rawValue: attention.subject).map { ConsoleRoutes.key.link(team, $0) } ?? ConsoleRoutes.keys.link(team)
        case .noReturnURL, .noSignIn, .secretEnds, .secretEnded:
            ClientID(rawValue: attention.subject).map { ConsoleRoutes.serviceID.link(team, $0) }
                ?? ConsoleRoutes.serviceIDs.link(team)
        case .appleRefuses: AppleTokenRoutes.tokens.link(team)
        case .domainUnverified: ConsoleRoutes.serviceIDs.link(team)
        }
    }

    static let fields = Fields<AttentionRow> {
        $0.words("title") { Message(in: "console.attention", $0.attention.kind.rawValue) }
        $0.text("subject") { $0.attention.subject }
        $0.text("url") { $0.url }
        $0.optionalGroup("since", TimeView.fields) { $0.attention.since.map { TimeView($0) } }
    }
}
