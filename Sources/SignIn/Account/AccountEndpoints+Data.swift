import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The person's data, to take along or to delete.
extension AccountEndpoints {
    /// Downloads of one person within an hour.
    private static let downloads = 5

    /// The page with the button; it wants what the download wants, so that nobody is sent away from a form.
    func askToDownload(_ person: Person) async throws -> Response {
        if let detour = try await proofBeforeDownload(person) { return detour }
        let page = AccountDataPage(
            frame: frame(Phrase("hosted.data.title"), person),
            action: TeamRoutes.ownData.link(person.team.id),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id)
        )
        return pages.respond(page)
    }

    /// Everything the team keeps of the person, as JSON.
    func download(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        if let detour = try await proofBeforeDownload(person) { return detour }
        try await charge(person, .account("own-export", person.subject.rawValue), Self.downloads)
        let export = try await accounts.exports.begin(
            person.subject,
            in: person.team.id,
            for: .person,
            by: person.actor,
            from: person.request.auditOrigin
        )
        guard let export else { throw Problem.notFound }
        return Response(
            fields: [
                HeaderField(.contentType, "application/json"),
                HeaderField(.contentDisposition, "attachment; filename=\"account.json\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ],
            stream: BodyStream { try await export.next() }
        )
    }

    /// Counts one more of what a person may do so often in an hour.
    private func charge(_ person: Person, _ subject: LimitSubject, _ limit: Int) async throws {
        let now = context.clock()
        let wait = try await counts.charge(
            subject,
            limit: limit,
            window: .seconds(3600),
            in: person.team.id,
            at: now
        )
        if let wait { throw Problem.tooOften(until: now + wait, wait) }
    }

    func askToDelete(_ person: Person) async throws -> Response {
        let page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        return pages.respond(page)
    }

    /// Deletes the account of a person who typed what it is called, and knows its password where it has one.
    func delete(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        var page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        page.typed = form["confirmation"] ?? ""
        guard Retyped(page.typed, expecting: page.expected).isRight else {
            page.errors.add(
                "confirmation",
                Phrase("hosted.deletion.confirm-wrong", ["expected": page.expected])
            )
            return pages.respond(page, status: .unprocessableContent)
        }
        if page.hasPassword,
            let refusal = try await refusal(of: form["password"] ?? "", page.login, person)
        {
            page.errors.add("password", refusal.words)
            return answer(pages.respond(page, status: refusal.status), refusal)
        }
        _ = try await accounts.deletions.delete(
            person.subject,
            in: person.team.id,
            by: person.actor,
            with: page.hasPassword ? right(of: person) : freshRight(of: person),
            from: person.request.auditOrigin
        )
        let done = AccountDeletedPage(frame: frame(Phrase("hosted.deletion.done-title"), person))
        var response = pages.respond(done)
        response.set(site.cookies.forgotten(site.cookies.session(of: person.team.id)))
        return response
    }

    /// Where somebody without a password shows first that it is them: a session alone may be somebody else's by now.
    ///
    /// By a factor of theirs, or by the way they came.
    private func proofBeforeDeletion(
        _ page: AccountDeletionPage,
        _ person: Person
    ) async throws -> Response? {
        guard !page.hasPassword else { return nil }
        return try await detour(trusting: false, to: TeamRoutes.deletion.link(person.team.id), person)
    }

    /// The same before everything is handed out, where a password is a proof as well.
    private func proofBeforeDownload(_ person: Person) async throws -> Response? {
        let (subject, team) = (person.subject, person.team.id)
        guard let detail = try await accounts.details.find(subject, in: team, at: context.clock()) else {
            throw Problem.notFound
        }
        let hasPassword = detail.hasPassword && !detail.logins.isEmpty
        return try await detour(trusting: hasPassword, to: TeamRoutes.ownData.link(team), person)
    }

    /// Where a person shows that it is them before they come to `page`; nil where they did so a short while ago.
    ///
    /// - Parameter password: whether they have one that may be asked for.
    private func detour(
        trusting password: Bool,
        to page: String,
        _ person: Person
    ) async throws -> Response? {
        guard context.clock() - person.session.provedAt > Self.proofLife else { return nil }
        let team = person.team.id
        let kinds = try await factors.kinds(of: person.subject, in: team)
        let proof =
            kinds.isEmpty && !password ? TeamRoutes.session.link(team) : TeamRoutes.proof.link(team)
        return .redirect(to: "\(proof)?next=\(PercentCoding.encode(page))")
    }

    /// Members of the console's team leave their teams first, which is done in the console.
    private func deletionPage(_ person: Person) async throws -> AccountDeletionPage {
        guard person.team.id != .system,
            let detail = try await accounts.details.find(
                person.subject,
                in: person.team.id,
                at: context.clock()
            )
        else { throw Problem.notFound }
        let login = detail.logins.first?.rawValue ?? ""
        return AccountDeletionPage(
            frame: frame(Phrase("hosted.deletion.title"), person),
            action: TeamRoutes.deletion.link(person.team.id),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id),
            login: login,
            expected: detail.user.email?.rawValue ?? person.subject.rawValue,
            appCount: detail.consents.count,
            hasPassword: detail.hasPassword && !login.isEmpty
        )
    }
}

extension Problem {
    /// What a person may do a few times an hour, and has done.
    static func tooOften(until moment: Timestamp, _ wait: Duration) -> Problem {
        Problem(
            .tooManyRequests,
            Phrase("hosted.problems.too-often.headline"),
            Phrase("hosted.problems.too-often.message", ["until": moment]),
            advice: Phrase("hosted.problems.too-often.advice"),
            retryAfter: Int(max(1, wait.components.seconds))
        )
    }
}
