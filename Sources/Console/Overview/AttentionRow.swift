import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// Something of the team that is unused, old or half done, and where to see to it.
struct AttentionRow: Sendable {
    let attention: TeamAttention
    let team: TeamID

    private var url: String {
        switch attention.kind {
        case .keyNeverUsed, .keyUnused, .keyOld:
            KeyID(rawValue: attention.subject).map { ConsoleRoutes.key.link(team, $0) }
                ?? ConsoleRoutes.keys.link(team)
        case .noReturnURL, .noSignIn, .secretEnds, .secretEnded:
            ClientID(rawValue: attention.subject).map { ConsoleRoutes.serviceID.link(team, $0) }
                ?? ConsoleRoutes.serviceIDs.link(team)
        case .appleRefuses: AppleTokenRoutes.tokens.link(team)
        case .domainUnverified: ConsoleRoutes.serviceIDs.link(team)
        }
    }

    static let fields = Fields<AttentionRow>()
        .words("title") { Phrase(in: "console.attention", $0.attention.kind.rawValue) }
        .text("subject") { $0.attention.subject }
        .text("url") { $0.url }
        .optionalGroup("since", TimeView.fields) { $0.attention.since.map { TimeView($0) } }
}
