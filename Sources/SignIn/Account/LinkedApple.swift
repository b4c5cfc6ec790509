import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Templates

/// The Apple account that a user of the directory has linked.
struct LinkedApple: Sendable {
    let steps: AccountSteps
    let linking: UpstreamLinking

    func mount(on router: inout Router) {
        router.get(TeamRoutes.ownApple, .standard, steps.asPerson(showApple))
        router.post(TeamRoutes.ownApple, .form, steps.asPerson(connectApple))
        router.post(TeamRoutes.appleRemoval, .form, steps.asPerson(disconnectApple))
    }

    /// Section of the account page; nil unless the team has both a directory and Apple as sign-in methods.
    func appleSection(_ person: SignedInUser) async throws -> AppleSectionView? {
        guard person.team.offersLinks else { return nil }
        return AppleSectionView(
            team: person.team, identity: try await appleIdentity(person), formToken: steps.formToken(person))
    }

    /// Redirects the browser to Apple to link an account; requires a recent proof.
    private func connectApple(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        guard person.team.offersLinks else { throw UserFacingError.notFound }
        let home = TeamRoutes.account.link(person.team.id)
        guard try await appleIdentity(person) == nil else { return .redirect(to: home) }
        return try await steps.freshly(person, page: home) {
            let url = try await linking.begin(
                for: person.session, browserHash: person.visit.browserHash, in: person.team)
            guard let url else { throw UserFacingError.notFound }
            return try steps.pages.leave(to: url, steps.frame(Message("hosted.apple.away"), person), named: "Apple")
        }
    }

    private func showApple(_ person: SignedInUser) async throws -> Response {
        guard let page = try await applePage(person) else {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        }
        return steps.pages.respond(page)
    }

    private func disconnectApple(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        guard person.team.offersLinks else { throw UserFacingError.notFound }
        return try await steps.freshly(person, page: TeamRoutes.ownApple.link(person.team.id)) {
            do {
                try await steps.accounts.linkEnds.end(
                    person.subject, from: .apple, keeping: steps.freshRight(of: person),
                    passkeysSuffice: steps.factors.passkeys != nil && person.team.secondFactor != .off,
                    in: person.team.id, from: person.visit.origin, telling: steps.factorPost(person))
            } catch UpstreamUnlinkStore.Refusal.unknown {
                return .redirect(to: TeamRoutes.account.link(person.team.id))
            } catch UpstreamUnlinkStore.Refusal.lastWay {
                guard var page = try await applePage(person) else { throw UserFacingError.notFound }
                page.error = Message("hosted.apple.last-way")
                return steps.pages.respond(page, status: .conflict)
            }
            return steps.home(person, .appleDisconnected)
        }
    }

    private func applePage(_ person: SignedInUser) async throws -> AppleDetailPage? {
        guard person.team.offersLinks, let identity = try await appleIdentity(person) else { return nil }
        return AppleDetailPage(
            form: steps.form(
                Message("hosted.apple.title"), to: TeamRoutes.appleRemoval.link(person.team.id), for: person),
            identity: identity)
    }

    /// The linked Apple account that was used last; a user has several after an app has moved between Apple teams.
    private func appleIdentity(_ person: SignedInUser) async throws -> LinkedIdentity? {
        try await steps.accounts.identities.list(of: person.subject, in: person.team.id).filter {
            $0.provider == .apple
        }.max { $0.lastSeenAt < $1.lastSeenAt }
    }
}

extension TeamSnapshot {
    /// Whether users of the directory can link an Apple account.
    var offersLinks: Bool { hasDirectory && offersApple(to: nil) }
}

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
struct AppleDetailPage: FormPage {
    static let template = "hosted/account-apple"
    static let fields = formFields.with {
        $0.optionalWords("error") { $0.error }
        $0.optionalText("email") { $0.identity.email?.shown }
        $0.optionalWords("kind") { $0.identity.isEmailPrivate ? Message("hosted.apple.relay") : nil }
        $0.group("since", TimeView.fields) { TimeView($0.identity.since) }
        $0.group("lastUsed", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        $0.flag("removable") { $0.identity.linkedAt != nil }
    }

    let form: HostedForm
    let identity: LinkedIdentity
    var error: Message?
}

extension LinkedIdentity { fileprivate var since: Timestamp { linkedAt ?? createdAt } }
