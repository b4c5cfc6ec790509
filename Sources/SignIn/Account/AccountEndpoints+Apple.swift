import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The account at Apple that somebody of the directory has connected to theirs.
extension AccountEndpoints {
    func mountApple(on router: inout Router) {
        router.get(TeamRoutes.ownApple) { request, team in
            try await asPerson(request, team) { try await showApple($0) }
        }
        router.post(TeamRoutes.ownApple, .form) { request, team in
            try await asPerson(request, team) { try await connectApple($0) }
        }
        router.post(TeamRoutes.appleRemoval, .form) { request, team in
            try await asPerson(request, team) { try await disconnectApple($0) }
        }
    }

    /// The section of the person's page; nil where the team's people do not choose between its directory and Apple.
    func appleSection(_ person: Person) async throws -> AppleSectionView? {
        guard person.team.offersLinks else { return nil }
        return AppleSectionView(
            team: person.team,
            identity: try await appleIdentity(person),
            formToken: formToken(person)
        )
    }

    /// Sends somebody to Apple who has shown a short while ago that it is them.
    private func connectApple(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        guard person.team.offersLinks else { throw Problem.notFound }
        let home = TeamRoutes.account.link(person.team.id)
        guard try await appleIdentity(person) == nil else { return .redirect(to: home) }
        return try await freshly(person, page: home) {
            let now = context.clock()
            let isAdmitted = try await limits.admit(
                person.request.client,
                team: person.team.id,
                counting: counts,
                at: now
            )
            guard isAdmitted else { throw Problem.tooManySignIns }
            let url = try await linking.begin(
                for: person.session,
                browserHash: person.visitor.browserHash,
                in: person.team
            )
            guard let url else { throw Problem.notFound }
            return try pages.leave(to: url, frame(Phrase("hosted.apple.away"), person), named: "Apple")
        }
    }

    private func showApple(_ person: Person) async throws -> Response {
        guard let page = try await applePage(person) else {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        }
        return pages.respond(page)
    }

    private func disconnectApple(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        guard person.team.offersLinks else { throw Problem.notFound }
        return try await freshly(person, page: TeamRoutes.ownApple.link(person.team.id)) {
            do {
                try await accounts.linkEnds.end(
                    ProviderLinkEndStore.End(
                        of: person.subject,
                        from: .apple,
                        keeping: freshRight(of: person),
                        passkeysSuffice: factors.passkeys != nil && person.team.secondFactor != .off,
                        origin: person.request.auditOrigin
                    ),
                    in: person.team.id,
                    telling: factorPost(person)
                )
            } catch ProviderLinkEndStore.Refusal.unknown {
                return .redirect(to: TeamRoutes.account.link(person.team.id))
            } catch ProviderLinkEndStore.Refusal.lastWay {
                guard var page = try await applePage(person) else { throw Problem.notFound }
                page.error = Phrase("hosted.apple.last-way").asWords
                return pages.respond(page, status: .conflict)
            }
            return home(person, .appleDisconnected)
        }
    }

    private func applePage(_ person: Person) async throws -> AppleDetailPage? {
        guard person.team.offersLinks, let identity = try await appleIdentity(person) else { return nil }
        return AppleDetailPage(
            frame: frame(Phrase("hosted.apple.title"), person),
            team: person.team,
            identity: identity,
            formToken: formToken(person)
        )
    }

    /// Of several the one that was used last: an app that moved between Apple's teams brings another.
    private func appleIdentity(_ person: Person) async throws -> KnownProviderIdentity? {
        try await accounts.identities.list(of: person.subject, in: person.team.id)
            .filter { $0.provider == .apple }
            .max { $0.lastSeenAt < $1.lastSeenAt }
    }
}

extension TeamSnapshot {
    /// Whether people of the directory may connect an account at Apple to theirs.
    var offersLinks: Bool { hasDirectory && offersApple(to: nil) }
}
