import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Registry
import Templates
import Web

/// *Try it*: a real sign-in as a Service ID, told step by step.
struct TrialEndpoints: Sendable {
    private let registry: RegistryStores
    private let context: EngineContext
    private let teams: TeamCache
    private let trials: TrialStore
    private let run: TrialRun
    private let new: LivePage<NewTrialPage>
    private let show: LivePage<TrialPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts) throws(Diagnostics) {
        self.registry = registry
        context = parts.context
        teams = parts.teams
        trials = parts.trials
        run = TrialRun(
            context: parts.context,
            database: parts.database,
            trials: parts.trials,
            flows: parts.flows
        )
        new = try parts.site.pages.page(NewTrialPage.self)
        show = try parts.site.pages.page(TrialPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(TrialRoutes.new, needs: .changeRegistry, at: .serviceIDs) { scope, id in
            ask(scope, try await find(id, scope), TrialForm(), .none)
        }
        router.post(TrialRoutes.trials, needs: .changeRegistry, at: .serviceIDs) { scope, form, id in
            try await begin(scope, try await find(id, scope), TrialForm(form))
        }
        router.get(TrialRoutes.trial, needs: .changeRegistry, at: .serviceIDs) { scope, id in
            try await respond(scope, try await recall(id, scope))
        }
        router.get(TrialRoutes.callback, needs: .changeRegistry, at: .serviceIDs) { scope, id in
            let fields = try scope.request.parameters().fields
            return try await complete(scope, try await recall(id, scope), fields, by: .query)
        }
        router.postAnswer(TrialRoutes.callback, needs: .changeRegistry, at: .serviceIDs) { scope, form, id in
            try await complete(scope, try await recall(id, scope), form.fields, by: .formPost)
        }
    }

    private func ask(
        _ scope: Scope,
        _ service: ServiceID,
        _ form: TrialForm,
        _ problems: FormProblems
    ) -> Response {
        let view = NewTrialPage(
            frame: scope.frame(Phrase("console.trials.new")),
            service: TrialServiceView(team: scope.teamID, service: service),
            action: TrialRoutes.trials.link(scope.teamID, service.identifier),
            form: form,
            problems: problems
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    /// Makes the trial and sends the browser off as an app would, unless the engine would refuse it there.
    private func begin(_ scope: Scope, _ service: ServiceID, _ form: TrialForm) async throws -> Response {
        let choice: TrialRun.Choice
        do throws(FormProblems) {
            choice = try form.choice()
        } catch {
            return ask(scope, service, form, error)
        }
        let team = try await snapshot(scope)
        let member = member(scope)
        let trial = try await run.begin(as: service.identifier, choice, by: member, in: team.id)
        if let refused = try await run.refusal(of: trial, in: team) {
            try await run.keep(refused, of: trial, by: member, in: team.id)
            return .redirect(to: TrialRoutes.trial.link(team.id, trial.id))
        }
        return .redirect(to: run.request(of: trial, in: team.id).url)
    }

    /// Takes the answer of the sign-in; a second one changes nothing, nor does one that comes too late.
    private func complete(
        _ scope: Scope,
        _ trial: Trial,
        _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode
    ) async throws -> Response {
        let page = TrialRoutes.trial.link(scope.teamID, trial.id)
        guard trial.expiresAt > context.clock(), try await record(of: trial, scope) == nil else {
            return .redirect(to: page)
        }
        let record = try await run.complete(
            trial,
            as: try await find(trial.serviceID, scope),
            fields,
            by: mode,
            in: try await snapshot(scope),
            from: scope.origin
        )
        try await run.keep(record, of: trial, by: member(scope), in: scope.teamID)
        return .redirect(to: page)
    }

    private func respond(_ scope: Scope, _ trial: Trial) async throws -> Response {
        let service = try await find(trial.serviceID, scope)
        let record = try await record(of: trial, scope)
        let waiting = TrialStory(
            waiting: run.request(of: trial, in: scope.teamID),
            until: trial.expiresAt,
            at: context.clock()
        )
        let view = TrialPage(
            frame: scope.frame(Phrase("console.trials.title")),
            service: TrialServiceView(team: scope.teamID, service: service),
            started: trial.createdAt,
            againURL: TrialRoutes.new.link(scope.teamID, service.identifier),
            story: record.map(TrialStory.init) ?? waiting
        )
        return scope.site.respond(show, view)
    }
}

// What a trial's pages stand on.
extension TrialEndpoints {
    private func find(_ id: ClientID, _ scope: Scope) async throws -> ServiceID {
        guard let service = try await registry.serviceIDs.find(id, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return service
    }

    /// The trial of this very session; for everybody else there is none.
    private func recall(_ id: TrialID, _ scope: Scope) async throws -> Trial {
        guard let trial = try await trials.recall(id, in: scope.teamID),
            ConstantTime.equal(trial.sessionHash, member(scope).sessionHash)
        else { throw Web.Problem.notFound }
        return trial
    }

    private func record(of trial: Trial, _ scope: Scope) async throws -> TrialRecord? {
        guard let text = try await trials.steps(of: trial.id, in: scope.teamID) else { return nil }
        return try TrialRecord(stored: text)
    }

    private func snapshot(_ scope: Scope) async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: scope.teamID) else { throw Web.Problem.notFound }
        return team
    }

    private func member(_ scope: Scope) -> TrialRun.Member {
        TrialRun.Member(
            sessionHash: SHA256.hash(scope.account.sessionToken.text),
            actor: scope.actor,
            origin: scope.origin
        )
    }
}
