import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform

/// The Apple account that a user of the directory has linked.
struct LinkedApple: Sendable {
    let steps: AccountSteps
    let linking: FederatedLinking

    func mount(on router: inout Router) {
        router.get(TeamRoutes.ownApple) { request, team in
            try await steps.asPerson(request, team) { try await showApple($0) }
        }
        router.post(TeamRoutes.ownApple, .form) { request, team in
            try await steps.asPerson(request, team) { try await connectApple($0) }
        }
        router.post(TeamRoutes.appleRemoval, .form) { request, team in
            try await steps.asPerson(request, team) { try await disconnectApple($0) }
        }
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
                for: person.session, browserHash: person.browserContext.browserHash, in: person.team)
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
                    FederatedUnlinkStore.End(
                        of: person.subject, from: .apple, keeping: steps.freshRight(of: person),
                        passkeysSuffice: steps.factors.passkeys != nil && person.team.secondFactor != .off,
                        origin: person.request.auditOrigin), in: person.team.id, telling: steps.factorPost(person))
            } catch FederatedUnlinkStore.Refusal.unknown {
                return .redirect(to: TeamRoutes.account.link(person.team.id))
            } catch FederatedUnlinkStore.Refusal.lastWay {
                guard var page = try await applePage(person) else { throw UserFacingError.notFound }
                page.error = Message("hosted.apple.last-way").localizedText
                return steps.pages.respond(page, status: .conflict)
            }
            return steps.home(person, .appleDisconnected)
        }
    }

    private func applePage(_ person: SignedInUser) async throws -> AppleDetailPage? {
        guard person.team.offersLinks, let identity = try await appleIdentity(person) else { return nil }
        return AppleDetailPage(
            frame: steps.frame(Message("hosted.apple.title"), person), team: person.team, identity: identity,
            formToken: steps.formToken(person))
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
