import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform

/// Sign-in with Apple: the redirect there, and the return.
struct FederationStep: Sendable {
    let steps: InteractionSteps
    let apple: UpstreamSignIn
    let mailer: AccountMailer

    /// Options for Apple's response, which contains a code, a token and a name.
    private static let callback = RouteOptions(bodyLimit: 16 * 1024, contentTypes: [.form])

    func mount(on router: inout Router) {
        let leave = steps.step { context in
            guard context.team.usesApple else { throw UserFacingError.notFound }
            return try await admitAndLeaveForApple(context)
        }
        router.get(TeamRoutes.apple, .storing, leave)
        router.post(TeamRoutes.appleCallback, Self.callback, receive)
        router.get(TeamRoutes.appleCallback, .storing, comeBack)
    }

    /// Redirects the browser of an interaction to Apple.
    ///
    /// Each redirect stores a row, so it counts as the start of a sign-in.
    func admitAndLeaveForApple(_ context: InteractionContext) async throws -> Response {
        try await steps.admit(context.request, context.team.id)
        let url = try await apple.beginUpstreamRequest(
            of: context.interaction, in: context.team, from: context.visit.origin)
        return leave(to: url, context)
    }

    /// Stores an interaction that leads directly to Apple, and redirects the browser there.
    func beginAtApple(_ context: InteractionContext) async throws -> Response {
        let url = try await apple.begin(context.interaction, in: context.team, from: context.visit.origin)
        return leave(to: url, context)
    }

    private func leave(to url: String?, _ context: InteractionContext) -> Response {
        guard let url else {
            let failure = UpstreamFailure(
                .upstreamAbsent, .none, because: "no connection to Apple belongs to the app's group")
            steps.traces.fail(failure, of: context.interaction, from: context.visit.origin)
            return explain(failure, retry: nil, anew: nil, context.visit)
        }
        return .redirect(to: url, status: .found)
    }

    /// Stores the response that Apple posts, and redirects the browser.
    ///
    /// A cross-site POST carries none of this server's cookies, so none is read here; and none is set, because a new
    /// cookie would end the interactions that the browser has in progress. The GET that follows carries the cookies,
    /// and a receipt that distinguishes this browser from the one that began. The response is stored even if the team
    /// has turned Apple off meanwhile, and waits for it to be turned on, because Apple sends a name only once.
    private func receive(_ request: Request, _ teamID: TeamID) async throws -> Response {
        _ = try await team(teamID)
        do {
            let parameters = try ProtocolParameters(try request.form(maximumFields: 64).fields)
            try await steps.admit(request, teamID)
            let reception = try await apple.receive(parameters, in: teamID)
            return .redirect(to: backURL(reception.back, teamID))
        } catch is OAuthError { throw UserFacingError.wrongRequest }
    }

    /// Continues with the response that Apple posted, in the browser that was sent there.
    private func comeBack(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let team = try await team(teamID)
        // Each return may cause a request to Apple, so it counts as the start of a sign-in.
        try await steps.admit(request, teamID)
        let visit = try await steps.visits.read(request, at: team)
        guard let back = try UpstreamReturn(request) else { return steps.refuse(visit) }
        let outcome = try await apple.finish(
            back, browserHash: visit.browserHash, session: visit.session, in: team, from: visit.origin,
            telling: FactorMailer(mailer, in: request.language))
        switch outcome {
        case .answered(let answer): return try leave(with: answer, visit)
        case .redirectToInteraction(let interaction):
            return .redirect(to: TeamRoutes.interaction.link(teamID, interaction))
        case .failed(let failure, let interaction):
            let anew = TeamRoutes.apple.link(teamID, interaction)
            return explain(failure, retry: backURL(back, teamID), anew: anew, visit)
        case .linking(let outcome): return answer(outcome, retry: backURL(back, teamID), visit)
        case .busy: return steps.pages.respond(.appleBusy, to: request, of: team, next: retry(backURL(back, teamID)))
        case .expired: return steps.refuse(visit)
        }
    }

    /// - Throws: `UserFacingError.notFound` unless Apple can answer the team.
    private func team(_ id: TeamID) async throws -> TeamSnapshot {
        guard id != .system, let team = try await steps.visits.teams.snapshot(of: id),
            team.usesApple || team.isRegisteredAtApple
        else { throw UserFacingError.notFound }
        return team
    }

    /// Delivers the answer to the app: by a redirect for query and fragment, which a GET allows; by a page otherwise.
    private func leave(with answer: AuthorizationResponse, _ visit: Visit) throws(UserFacingError) -> Response {
        switch answer.mode {
        case .query, .fragment: return .redirect(to: answer.location, status: .found)
        case .formPost, .webMessage:
            guard let client = visit.team.client(answer.clientID) else { throw .interactionExpired }
            return try steps.pages.exit(with: answer, appName: client.name, of: visit.team, in: visit.request.language)
        }
    }

    /// Page that explains a failure to the user and offers a remedy.
    ///
    /// - Parameters:
    ///   - retry: address that tries the same response again.
    ///   - anew: address that requests a new response.
    func explain(_ failure: UpstreamFailure, retry: String?, anew: String?, _ visit: Visit) -> Response {
        let (request, team) = (visit.request, visit.team)
        steps.traces.refusals(
            .info, "upstream.failed", of: team.id.rawValue, for: failure.cause.rawValue,
            ("request", request.id.description), ("team", team.id.rawValue), ("cause", failure.cause.rawValue),
            ("reason", failure.reason))
        switch failure.remedy {
        case .again:
            return steps.pages.respond(.appleLater(failure), to: request, of: team, next: retry.map(self.retry))
        case .anew: return steps.pages.respond(.appleAnew, to: request, of: team, next: anew.map(self.retry))
        case .none:
            let error: UserFacingError =
                switch failure.cause {
                case .personSuspended: .suspended
                case .registrationClosed: .registrationClosed
                default: .appleNever
                }
            return steps.pages.respond(error, to: request, of: team)
        }
    }

    private func retry(_ url: String) -> WayOn { WayOn(url, Message("hosted.problems.retry")) }

    private func backURL(_ back: UpstreamReturn, _ team: TeamID) -> String {
        "\(TeamRoutes.appleCallback.link(team))?\(FormCoding.encode(back.fields))"
    }
}

extension UpstreamReturn {
    /// Returns nil if the request lacks `state` or `receipt`.
    fileprivate init?(_ request: Request) throws {
        let query = try request.query()
        guard let state = query["state"], let receipt = query["receipt"].flatMap(ReturnReceipt.init(text:)) else {
            return nil
        }
        self.init(state: state, receipt: receipt)
    }

    fileprivate var fields: [FormCoding.Field] {
        [FormCoding.Field("state", state), FormCoding.Field("receipt", receipt.text)]
    }
}

extension UserFacingError {
    /// Apple does not respond, or its response is unreadable.
    ///
    /// `Retry-After` is the time that Apple requests, within 1 to 300 seconds, or else 5 seconds.
    static func appleLater(_ failure: UpstreamFailure) -> UserFacingError {
        UserFacingError(
            .serviceUnavailable, "hosted.problems.apple-later",
            retryAfter: failure.retryAfter.map { Int(min(max($0.components.seconds, 1), 300)) } ?? 5)
    }

    /// Apple's response was used before or has expired.
    static let appleAnew = UserFacingError(.badRequest, "hosted.problems.apple-anew")

    /// Apple rejects the request, and only the app's developers can change that.
    static let appleNever = UserFacingError(.badRequest, "hosted.problems.apple-never")

    /// Another request of the same browser is processing the response.
    static let appleBusy = UserFacingError(.conflict, "hosted.problems.apple-busy")

    /// The team admits no new users, and the one at Apple is new.
    static let registrationClosed = UserFacingError(.forbidden, "hosted.problems.closed")

    static let suspended = UserFacingError(.forbidden, "hosted.problems.suspended")
}

// Return from Apple after a user began to link an account on the account page.
extension FederationStep {
    /// Redirects to the account page, or explains why no account was linked.
    func answer(_ outcome: UpstreamLinking.Outcome, retry: String, _ visit: Visit) -> Response {
        let team = visit.team
        let home = TeamRoutes.account.link(team.id)
        switch outcome {
        case .connected: return goHome(.appleConnected, team)
        case .cancelled: return goHome(.appleCancelled, team)
        case .refused(.known): return goHome(.appleKnown, team)
        case .refused(.taken):
            let message = Message("hosted.apple.taken.message", ["team": team.name])
            return say(Message("hosted.apple.taken.headline"), message, visit)
        case .refused(.another):
            let message = Message("hosted.apple.another.message")
            return say(Message("hosted.apple.another.headline"), message, visit)
        case .refused(.expired), .foreign:
            let message = Message("hosted.apple.foreign.message")
            return say(Message("hosted.apple.foreign.headline"), message, visit)
        case .failed(let failure): return explain(failure, retry: retry, anew: home, visit)
        }
    }

    /// Page that explains why no account was linked.
    private func say(_ headline: Message, _ message: Message, _ visit: Visit) -> Response {
        let page = MessagePage(
            frame: steps.pages.frame(headline, of: visit.team, in: visit.request.language), message: message,
            next: (TeamRoutes.account.link(visit.team.id), Message("hosted.factors.prove.back")))
        return steps.pages.respond(page, status: .conflict)
    }

    private func goHome(_ change: AccountChange, _ team: TeamSnapshot) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(team.id))
        response.set(change.cookie(steps.site.cookies, of: team.id))
        return response
    }
}
