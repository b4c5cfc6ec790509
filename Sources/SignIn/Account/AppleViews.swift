import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The section of the person's page: an account at Apple that is connected, or the button to connect one.
struct AppleSectionView: Sendable {
    let team: TeamSnapshot
    let identity: KnownProviderIdentity?
    let formToken: String

    static let fields = Fields<AppleSectionView>()
        .text("csrf") { $0.formToken }
        .words("about") { Phrase("hosted.apple.about", ["team": $0.team.name]) }
        .text("action") { TeamRoutes.ownApple.link($0.team.id) }
        .optionalGroup("connected", Connected.fields) { view in
            view.identity.map { Connected(identity: $0, url: TeamRoutes.ownApple.link(view.team.id)) }
        }

    struct Connected: Sendable {
        let identity: KnownProviderIdentity
        let url: String

        static let fields = Fields<Connected>()
            .text("url") { $0.url }
            .flag("removable") { $0.identity.linkedAt != nil }
            .words("since") { Phrase("hosted.apple.since", ["when": $0.identity.since]) }
            .optionalText("email") { $0.identity.email?.rawValue }
    }
}

/// What is known of the account at Apple, and how to part from it.
struct AppleDetailPage: HostedPage {
    static let template = "hosted/account-apple"
    static let fields =
        frameFields
        .text("csrf") { $0.formToken }
        .optionalWords("error") { $0.error }
        .optionalText("email") { $0.identity.email?.rawValue }
        .optionalWords("kind") { $0.identity.isEmailPrivate ? Phrase("hosted.apple.relay") : nil }
        .group("since", TimeView.fields) { TimeView($0.identity.since) }
        .group("lastUsed", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        .optionalText("removalURL") { page in
            page.identity.linkedAt == nil ? nil : TeamRoutes.appleRemoval.link(page.team.id)
        }
        .text("backURL") { TeamRoutes.account.link($0.team.id) }

    let frame: HostedFrame
    let team: TeamSnapshot
    let identity: KnownProviderIdentity
    let formToken: String
    var error: Words?
}

extension KnownProviderIdentity {
    fileprivate var since: Timestamp { linkedAt ?? createdAt }
}
