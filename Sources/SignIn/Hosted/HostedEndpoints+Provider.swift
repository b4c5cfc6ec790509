import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Log
import Web

// By way of Apple: there from a sign-in, and back to it.
extension HostedEndpoints {
    /// What Apple posts holds a code, a token and a name.
    private static let callback = RouteOptions(bodyLimit: 64 * 1024, contentTypes: [.form])

    func mountProvider(on router: inout Router) {
        router.get(TeamRoutes.apple) { request, team, attempt in
            try await step(request, team, attempt) { context in
                guard context.team.usesApple else { throw Problem.notFound }
                return try await admitAndLeaveForApple(context)
            }
        }
        router.post(TeamRoutes.appleCallback, Self.callback) { request, team in
            try await receive(request, team)
        }
        router.get(TeamRoutes.appleCallback) { request, team in try await comeBack(request, team) }
    }

    /// Sends the browser of a sign-in under way to Apple.
    ///
    /// Each trip is a row: to go there again and again is counted as to begin again and again.
    func admitAndLeaveForApple(_ context: Context) async throws -> Response {
        try await admit(context.request, context.team.id)
        let url = try await apple.beginTrip(
            of: context.attempt,
            browserHash: context.visitor.browserHash,
            in: context.team,
            from: context.request.auditOrigin
        )
        return leave(to: url, context)
    }

    /// Stores a sign-in that leads to Apple at once, and sends the browser there.
    func beginAtApple(_ context: Context) async throws -> Response {
        let url = try await apple.begin(
            context.attempt,
            browserHash: context.visitor.browserHash,
            in: context.team,
            from: context.request.auditOrigin
        )
        return leave(to: url, context)
    }

    private func leave(to url: String?, _ context: Context) -> Response {
        guard let url else {
            let failure = ProviderFailure(
                .providerAbsent,
                .none,
                because: "no connection to Apple belongs to the app's group"
            )
            flows.fail(failure, of: context.attempt, in: context.team.id, from: context.request.auditOrigin)
            return tell(failure, retry: nil, anew: nil, context.request, context.team)
        }
        return .redirect(to: url, status: .found)
    }

    /// Stores what Apple posts and sends the browser on.
    ///
    /// A post from another site brings no cookie of ours, so nothing is read here, and nothing set: another cookie would
    /// end what the browser has under way. What comes for a team that has turned Apple off meanwhile is kept too, and
    /// waits for it to be turned on: Apple tells a name once. The GET that follows brings the cookies, and a receipt that tells this
    /// browser from whichever began.
    private func receive(_ request: Request, _ teamID: TeamID) async throws -> Response {
        guard teamID != .system, let team = try await teams.snapshot(of: teamID),
            team.usesApple || team.isRegisteredAtApple
        else { throw Problem.notFound }
        do {
            let parameters = try ProtocolParameters(try request.form(maximumFields: 64).fields)
            let octets = ProviderAnswer(parameters).octets
            try await admitSending(octets, request, teamID)
            let reception = try await apple.receive(parameters, in: teamID)
            if reception.isKept {
                // Apple tells once: a count that fails does not lose what is stored.
                await engine.log.attempt("sign-in.octets-not-counted", request: request.id.description) {
                    try await limits.note(kept: octets, team: teamID, counting: counts, at: engine.clock())
                }
            }
            return .redirect(to: backURL(reception.back, teamID))
        } catch is OAuthError {
            throw Problem.wrongRequest
        }
    }

    /// Goes on with what Apple posted, for the browser that was sent there.
    private func comeBack(_ request: Request, _ teamID: TeamID) async throws -> Response {
        guard teamID != .system, let team = try await teams.snapshot(of: teamID),
            team.usesApple || team.isRegisteredAtApple
        else { throw Problem.notFound }
        // Each return may have Apple asked: whoever comes back again and again is counted as one who begins.
        try await admit(request, teamID)
        let visitor = try await visitor(request, team)
        guard let back = try ProviderReturn(request) else { return over(request, team) }
        let outcome = try await apple.finish(
            back,
            browserHash: visitor.browserHash,
            session: visitor.session,
            in: team,
            from: request.auditOrigin,
            telling: FactorPost(post, in: request.language)
        )
        switch outcome {
        case .answered(let answer): return try leave(with: answer, request, team)
        case .goOn(let attempt): return .redirect(to: TeamRoutes.attempt.link(teamID, attempt))
        case .failed(let failure, let attempt):
            let anew = TeamRoutes.apple.link(teamID, attempt)
            return tell(failure, retry: backURL(back, teamID), anew: anew, request, team)
        case .linking(let outcome): return answer(outcome, retry: backURL(back, teamID), request, team)
        case .busy: return busy(request, team, backURL(back, teamID))
        case .over: return over(request, team)
        }
    }

    /// An answer that follows a GET may go at once; one that is posted needs its page.
    private func leave(
        with answer: AuthorizationAnswer,
        _ request: Request,
        _ team: TeamSnapshot
    ) throws(Problem) -> Response {
        switch answer.mode {
        case .query, .fragment: return .redirect(to: answer.location, status: .found)
        case .formPost, .webMessage:
            guard let client = team.client(answer.clientID) else { throw .attemptOver }
            return try pages.exit(with: answer, appName: client.name, of: team, in: request.language)
        }
    }

    /// Says what went wrong in words for the person, and what helps.
    ///
    /// - Parameters:
    ///   - retry: where the same answer is tried again.
    ///   - anew: where another one is asked for.
    func tell(
        _ failure: ProviderFailure,
        retry: String?,
        anew: String?,
        _ request: Request,
        _ team: TeamSnapshot
    ) -> Response {
        flows.refusals(
            .info,
            "provider.failed",
            of: team.id.rawValue,
            for: failure.cause.rawValue,
            ("request", request.id.description),
            ("team", team.id.rawValue),
            ("cause", failure.cause.rawValue),
            ("reason", failure.reason)
        )
        switch failure.remedy {
        case .again: return pages.respond(.appleLater(failure), to: request, of: team, retryURL: retry)
        case .anew:
            return pages.respond(.appleAnew, to: request, of: team, retryURL: anew)
        case .none:
            let isSuspended = failure.cause == .personSuspended
            return pages.respond(isSuspended ? .suspended : .appleNever, to: request, of: team)
        }
    }

    private func busy(_ request: Request, _ team: TeamSnapshot, _ url: String) -> Response {
        pages.respond(.appleBusy, to: request, of: team, retryURL: url)
    }

    private func backURL(_ back: ProviderReturn, _ team: TeamID) -> String {
        "\(TeamRoutes.appleCallback.link(team))?\(FormCoding.encode(back.fields))"
    }
}

extension ProviderReturn {
    /// Nil for a request that lacks one of the two.
    fileprivate init?(_ request: Request) throws {
        let query = try request.query()
        guard let state = query["state"], let receipt = query["receipt"].flatMap(ReturnReceipt.init(text:))
        else { return nil }
        self.init(state: state, receipt: receipt)
    }

    fileprivate var fields: [FormCoding.Field] {
        [FormCoding.Field("state", state), FormCoding.Field("receipt", receipt.text)]
    }
}

extension Problem {
    /// Apple does not answer, or not so that anybody could read it.
    ///
    /// Whoever asks is told to wait as long as Apple asks us to, within reason.
    static func appleLater(_ failure: ProviderFailure) -> Problem {
        Problem(
            .serviceUnavailable,
            Phrase("hosted.problems.apple-later.headline"),
            Phrase("hosted.problems.apple-later.message"),
            advice: Phrase("hosted.problems.apple-later.advice"),
            retryAfter: failure.retryAfter.map { Int(min(max($0.components.seconds, 1), 300)) } ?? 5
        )
    }

    /// Apple's answer is used up or too old.
    static let appleAnew = Problem(
        .badRequest,
        Phrase("hosted.problems.apple-anew.headline"),
        Phrase("hosted.problems.apple-anew.message"),
        advice: Phrase("hosted.problems.apple-anew.advice")
    )

    /// Apple refuses, and only the makers of the app can change that.
    static let appleNever = Problem(
        .badRequest,
        Phrase("hosted.problems.apple-never.headline"),
        Phrase("hosted.problems.apple-never.message"),
        advice: Phrase("hosted.problems.apple-never.advice")
    )

    /// Another request of the same browser is at work.
    static let appleBusy = Problem(
        .conflict,
        Phrase("hosted.problems.apple-busy.headline"),
        Phrase("hosted.problems.apple-busy.message"),
        advice: Phrase("hosted.problems.apple-busy.advice")
    )

    static let suspended = Problem(
        .forbidden,
        Phrase("hosted.problems.suspended.headline"),
        Phrase("hosted.problems.suspended.message"),
        advice: Phrase("hosted.problems.suspended.advice")
    )
}
