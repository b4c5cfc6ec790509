import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Adding a factor on the person's own pages.
extension AccountEndpoints {
    /// Where a factor is added.
    enum SetupPage: Sendable {
        case newTOTP
        case newPasskey
    }

    func askForTOTP(_ person: Person) async throws -> Response {
        let replaces = try await factors.totp.find(of: person.subject, in: person.team.id) != nil
        return respond(setup(person, .newTOTP).totp(replaces: replaces), person)
    }

    func askForPasskey(_ person: Person) async throws -> Response {
        guard let page = try await setup(person, .newPasskey).passkey() else { throw Problem.notFound }
        return respond(page, person)
    }

    func enrol(_ person: Person, page: SetupPage) async throws -> Response {
        let form = try form(of: person)
        let enrolment = FactorEnrolment(
            factors: factors,
            subject: person.subject,
            team: person.team.id,
            browser: person.visitor.browser,
            origin: person.request.auditOrigin,
            now: context.clock(),
            isFirst: false,
            right: .session(freshRight(of: person)),
            post: factorPost(person)
        )
        switch try await enrolment.add(form) {
        case .added(let kind, let codes): return try await added(kind, codes, person)
        case .refused(.totp, let words, let offer):
            return respond(
                setup(person, page).totp(offer, error: words),
                person,
                status: .unprocessableContent
            )
        case .refused(_, let words, _):
            let page = try await setup(person, page).passkey(named: form["name"], error: words)
            guard let page else { throw Problem.notFound }
            return respond(page, person, status: .unprocessableContent)
        // Whoever is signed in no more signs in there.
        case .over: return .redirect(to: TeamRoutes.account.link(person.team.id))
        case .notFirst, nil: throw Problem.notFound
        }
    }

    private func setup(_ person: Person, _ page: SetupPage) -> FactorSetup {
        let team = person.team.id
        let (title, action) =
            switch page {
            case .newTOTP: (Phrase("hosted.factors.set-up.totp.title"), TeamRoutes.newTOTP.link(team))
            case .newPasskey:
                (Phrase("hosted.factors.set-up.passkey.title"), TeamRoutes.newPasskey.link(team))
            }
        return FactorSetup(
            factors: factors,
            user: person.session.user,
            team: person.team,
            browser: person.visitor.browser,
            frame: frame(title, person),
            formToken: formToken(person),
            action: action,
            now: context.clock()
        )
    }

    private func respond(_ page: FactorSetupPage, _ person: Person, status: Status = .ok) -> Response {
        var page = page
        page.backURL = TeamRoutes.account.link(person.team.id)
        return factorPages.respond(page, status: status)
    }
}
