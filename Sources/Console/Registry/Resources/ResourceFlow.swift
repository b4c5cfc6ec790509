import Bytes
import Domain
import HTTP
import Postgres
import Registry
import Templates
import Web

/// How every kind of thing of the registry is made, edited, checked and deleted.
struct ResourceFlow<Resource: RegistryResource>: Sendable {
    private typealias Value = Resource.Value
    private typealias Typed = Resource.Form

    private let resource: Resource
    private let registry: RegistryStores
    private let conflict: LivePage<ConflictPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ resource: Resource, _ registry: RegistryStores, _ pages: Pages) throws(Diagnostics) {
        self.resource = resource
        self.registry = registry
        conflict = try pages.page(ConflictPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        let (routes, right, section) = (resource.routes, resource.right, resource.section)
        router.get(routes.new, needs: right, at: section) { scope in
            try await resource.ask(scope, resource.blank(scope), .none)
        }
        router.post(routes.list, needs: right, at: section) { scope, form in
            try await create(scope, Typed(form))
        }
        router.post(routes.check, needs: right, at: section) {
            scope,
            form in
            try await checkNew(scope, Typed(form))
        }
        router.get(routes.one, needs: .read, at: section) { scope, key in
            try await resource.show(try await find(key, scope), scope, .nothing)
        }
        router.post(routes.one, needs: right, at: section) { scope, form, key in
            try await update(scope, form, try await find(key, scope))
        }
        router.post(routes.checkOne, needs: right, at: section) {
            scope,
            form,
            key in
            try await checkChange(scope, form, try await find(key, scope))
        }
        router.post(routes.deletion, needs: right, at: section, countsForTeam: false) {
            scope,
            form,
            key in
            try await delete(scope, form, try await find(key, scope))
        }
    }

    /// The list, for a kind that has one of its own.
    func mountList(on router: inout ConsoleRouter) where Resource: ListedResource {
        router.get(resource.routes.list, needs: .read, at: resource.section) { try await resource.index($0) }
    }

    private func find(_ key: Value.Key, _ scope: Scope) async throws -> Value {
        guard let value = try await resource.find(key, in: scope.teamID) else { throw Web.Problem.notFound }
        return value
    }

    private func create(_ scope: Scope, _ form: Typed) async throws -> Response {
        let outcome = try await FormProblems.collect {
            try await registry.transaction(in: scope.teamID) { transaction in
                try await resource.create(form, scope, transaction)
            }
        }
        switch outcome {
        case .failure(let problems):
            let named = try await all(problems, of: form, scope).naming(form.line)
            return try await resource.ask(scope, form, named)
        case .success(let value):
            registry.changed(scope.teamID)
            try await resource.settled(value, scope)
            let page = resource.routes.one.link(scope.teamID, value.key)
            return scope.redirect(to: page, saying: resource.praise(value))
        }
    }

    /// The problems of a new one with that of its name, which only the team's registry knows: it is told with the
    /// others, not after them.
    private func all(_ problems: FormProblems, of form: Typed, _ scope: Scope) async throws -> FormProblems {
        let name = try await FormProblems.collect {
            try await registry.transaction(in: scope.teamID) { transaction in
                try await resource.checkName(form, scope, transaction)
            }
        }
        guard case .failure(let more) = name else { return problems }
        return FormProblems(problems.all + more.all.filter { problems[$0.field] == nil })
    }

    private func update(_ scope: Scope, _ sent: Form, _ current: Value) async throws -> Response {
        let form = Typed(sent)
        let version = try sent.version()
        let outcome = try await FormProblems.collect {
            try await registry.transaction(in: scope.teamID) { transaction in
                try await resource.update(current, to: form, version: version, scope, transaction)
            }
        }
        switch outcome {
        case .failure(let problems):
            let unfinished = Unfinished(typed: form, version: version, problems.naming(form.line))
            return try await resource.show(current, scope, unfinished)
        case .success(.notFound): throw Web.Problem.notFound
        case .success(.conflict(let theirs)): return showConflict(scope, form, theirs)
        case .success(.saved(let value)):
            registry.changed(scope.teamID)
            try await resource.settled(value, scope)
            let page = resource.routes.one.link(scope.teamID, value.key)
            return scope.redirect(to: page, saying: .good(Phrase("console.forms.saved")))
        }
    }

    private func showConflict(_ scope: Scope, _ form: Typed, _ theirs: Value) -> Response {
        let view = ConflictPage(
            frame: scope.frame(Phrase("console.conflict.title")),
            heading: theirs.identity,
            auditURL: ConsoleRoutes.audit.link(scope.teamID),
            rows: form.compared(with: theirs),
            action: resource.routes.one.link(scope.teamID, theirs.key),
            version: theirs.version,
            typed: form.fields
        )
        return scope.site.respond(conflict, view, status: .conflict)
    }

    /// What was read before the change of somebody else may not say what will break now, so it is shown once more.
    private func delete(_ scope: Scope, _ sent: Form, _ value: Value) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: value.identity)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await resource.show(value, scope, Unfinished(confirmation, error))
        }
        guard try sent.version() == value.version else {
            return try await resource.show(value, scope, Unfinished(confirmation, .changedMeanwhile))
        }
        let outcome = try await FormProblems.collect {
            try await registry.transaction(in: scope.teamID) { transaction in
                try await resource.delete(value, reason: reason, scope, transaction)
            }
        }
        switch outcome {
        case .failure(let problems):
            return try await resource.show(value, scope, Unfinished(confirmation, problems.ofConfirmation))
        case .success(false): throw Web.Problem.notFound
        case .success(true): break
        }
        registry.changed(scope.teamID)
        let home = resource.home(of: scope.teamID)
        return scope.redirect(to: home, saying: resource.farewell(value))
    }
}

// As it is typed: the change is made as on submit and taken back, so that both say the same.
extension ResourceFlow {
    private struct Rehearsed: Error {}

    private func checkNew(_ scope: Scope, _ form: Typed) async throws -> Response {
        let problems = try await rehearse(scope) { transaction in
            _ = try await resource.create(form, scope, transaction)
        }
        return Self.answer(try await all(problems, of: form, scope), form, scope)
    }

    private func checkChange(_ scope: Scope, _ sent: Form, _ current: Value) async throws -> Response {
        let form = Typed(sent)
        let problems = try await rehearse(scope) { transaction in
            let version = current.version
            _ = try await resource.update(current, to: form, version: version, scope, transaction)
        }
        return Self.answer(problems, form, scope)
    }

    private func rehearse(
        _ scope: Scope,
        _ change: (borrowing Transaction) async throws -> Void
    ) async throws -> FormProblems {
        let outcome = try await FormProblems.collect {
            do {
                try await registry.transaction(in: scope.teamID) { transaction in
                    try await change(transaction)
                    throw Rehearsed()
                }
            } catch is Rehearsed {}
        }
        return if case .failure(let problems) = outcome { problems } else { .none }
    }

    /// The sentences by the elements they belong to.
    private static func answer(_ problems: FormProblems, _ form: Typed, _ scope: Scope) -> Response {
        let members = problems.naming(form.line).all.map { problem -> JSONValue in
            [
                "id": .string(form.element(of: problem.field)),
                "message": .string(scope.site.text(problem.message)),
            ]
        }
        var response = Response(body: JSON.encode(["problems": JSONValue.array(members)] as JSONValue))
        response.append(.contentType, "application/json")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }
}
