import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Templates

/// Section of the account page: the linked Apple account, or the button to link one.
struct AppleSectionView: Sendable {
    let team: TeamSnapshot
    let identity: LinkedIdentity?
    let formToken: String

    static let fields = Fields<AppleSectionView> {
        $0.text("csrf") { $0.formToken }
        $0.words("about") { Message("hosted.apple.about", ["team": $0.team.name]) }
        $0.text("action") { TeamRoutes.ownApple.link($0.team.id) }
        $0.optionalGroup("connected", Connected.fields) { view in
            view.identity.map { Connected(identity: $0, url: TeamRoutes.ownApple.link(view.team.id)) }
        }
    }

    struct Connected: Sendable {
        let identity: LinkedIdentity
        let url: String

        static let fields = Fields<Connected> {
            $0.text("url") { $0.url }
            $0.flag("removable") { $0.identity.linkedAt != nil }
            $0.words("since") { Message("hosted.apple.since", ["when": $0.identity.since]) }
            $0.optionalText("email") { $0.identity.email?.shown }
        }
    }
}

/// Details of the linked Apple account, and the button to unlink it.
struct AppleDetailPage: HostedPage {
    static let template = "hosted/account-apple"
    static let fields = frameFields.with {
        $0.text("csrf") { $0.formToken }
        $0.optionalWords("error") { $0.error }
        $0.optionalText("email") { $0.identity.email?.shown }
        $0.optionalWords("kind") { $0.identity.isEmailPrivate ? Message("hosted.apple.relay") : nil }
        $0.group("since", TimeView.fields) { TimeView($0.identity.since) }
        $0.group("lastUsed", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        $0.optionalText("removalURL") { page in
            page.identity.linkedAt == nil ? nil : TeamRoutes.appleRemoval.link(page.team.id)
        }
        $0.text("backURL") { TeamRoutes.account.link($0.team.id) }
    }

    let frame: HostedFrame
    let team: TeamSnapshot
    let identity: LinkedIdentity
    let formToken: String
    var error: LocalizedText?
}

extension LinkedIdentity { fileprivate var since: Timestamp { linkedAt ?? createdAt } }
