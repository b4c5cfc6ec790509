import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Tenancy
import Web

// The dispatcher: what comes next is decided from the stored attempt, here and nowhere else. Steps never call one
// another; each ends at the attempt's address, or at the exit.
extension HostedEndpoints {
    /// Shows what comes next.
    func dispatch(_ context: Context) async throws -> Response {
        let (team, session) = (context.team.id, context.session)
        let step = try await flow.nextStep(of: context.attempt, session, in: team)
        switch (step, context.client, session) {
        case (.proof(let subject), _, _):
            return factorPages.respond(try await factorPage(context, of: subject))
        case (.enrolment(let subject), _, _):
            return factorPages.respond(try await enrolmentPage(context, of: subject))
        case (.enter, _, _): return try await enter(context)
        case (.leave(let next), _, _?): return leave(to: next, context)
        case (.consent, let client?, let session?):
            return pages.respond(consentPage(context, client, session.user))
        case (.confirmation, let client?, let session?):
            return pages.respond(continuePage(context, client, session.user))
        case (.signIn, _, _), (.leave, _, _), (.consent, _, _), (.confirmation, _, _):
            if !context.team.hasDirectory { return try await admitAndLeaveForApple(context) }
            return pages.respond(signInPage(context))
        }
    }

    /// What a step answers that has stored a proof: the way back to the dispatcher, with a session where no proof is
    /// owed any more.
    func goOn(_ context: Context) async throws -> Response {
        var context = context
        let hash = context.visitor.browserHash
        guard let attempt = try await flow.find(context.attempt.id, browserHash: hash, in: context.team.id)
        else { throw Problem.attemptOver }
        context.attempt = attempt
        if case .proved = attempt.progress.standing(hasSession: false) { return try await enter(context) }
        return again(context)
    }

    /// Leads back to the dispatcher.
    func again(_ context: Context) -> Response {
        .redirect(to: TeamRoutes.attempt.link(context.team.id, context.attempt.id))
    }

    /// Makes a session of the proofs, under a name the browser has not had before.
    private func enter(_ context: Context) async throws -> Response {
        let (attempt, visitor, team) = (context.attempt, context.visitor, context.team.id)
        var response = again(context)
        guard let identity = attempt.progress.identity else { return response }
        let isKnown = try await door.knows(identity.login, context.request, team, visitor)
        let stranger = isKnown ? nil : try await notice.person(identity.subject, in: team)
        let cookies = try await flow.enter(attempt, browserHash: visitor.browserHash, of: team) { proofs in
            try await door.enter(
                identity,
                second: attempt.progress.second,
                to: context.client?.id,
                taking: proofs,
                context.request,
                team,
                visitor
            )
        }
        guard let cookies else { return response }
        for cookie in cookies { response.set(cookie) }
        if let stranger {
            try await notice.send(to: stranger, context.request, of: context.team, in: context.language)
        }
        return response
    }

    /// Goes to the page of ours that the sign-in was for.
    private func leave(to next: String?, _ context: Context) -> Response {
        let team = context.team.id
        let home = team == .system ? "/console" : TeamRoutes.account.link(team)
        return .redirect(to: LocalPath(next)?.text ?? home)
    }

    func signInPage(_ context: Context) -> SignInPage {
        let (team, attempt, title) = (context.team, context.attempt.id, context.signInTitle)
        return SignInPage(
            frame: pages.frame(title, of: team, in: context.language),
            title: title.asWords,
            action: TeamRoutes.password.link(team.id, attempt),
            formToken: site.formTokens.token(for: context.visitor.browser),
            email: context.attempt.loginHint ?? "",
            passkey: passkeyForm(context),
            isCancellable: context.client != nil,
            recoveryURL: TeamRoutes.recovery.link(team.id, attempt),
            appleURL: context.offersApple ? TeamRoutes.apple.link(team.id, attempt) : nil,
            registrationURL: team.registration == .open ? TeamRoutes.registration.link(team.id, attempt) : nil
        )
    }
}

extension HostedEndpoints.Context {
    /// Whether the app, or any app of the team for its own pages, is registered at Apple.
    fileprivate var offersApple: Bool { team.offersApple(to: client?.group) }

    fileprivate var signInTitle: Phrase {
        if let client { return Phrase("hosted.sign-in.to-app", ["app": client.name]) }
        return team.id == .system ? Phrase("hosted.sign-in.to-console") : Phrase("hosted.sign-in.to-account")
    }
}
