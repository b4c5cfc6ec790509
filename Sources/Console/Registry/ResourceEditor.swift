import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers that create, edit, validate and delete objects of any registry resource.
struct ResourceEditor<Resource: RegistryResource>: ConsolePages {
    private typealias Value = Resource.Value
    private typealias TypedForm = SettingsForm<Resource.Value>

    let parts: Console.Parts

    private var resource: Resource { Resource(parts: parts) }

    static var views: [any View.Type] { Resource.views }

    func mount(on router: inout ConsoleRouter) {
        let (routes, right, section) = (resource.routes, resource.right, resource.section)
        resource.mount(on: &router)
        router.get(routes.new, needs: right, at: section) { context in
            try await resource.newPage(context, resource.emptyForm(context), FieldErrors())
        }
        router.post(routes.list, needs: right, at: section) { context, form in
            try await create(context, TypedForm(form))
        }
        router.post(routes.check, needs: right, at: section) { context, form in
            try await checkNew(context, TypedForm(form))
        }
        router.get(routes.one, needs: .read, at: section) { context, key in
            try await resource.show(try await find(key, context), context, RejectedForm())
        }
        router.post(routes.one, needs: right, at: section) { context, form, key in
            try await update(context, form, try await find(key, context))
        }
        router.post(routes.checkOne, needs: right, at: section) { context, form, key in
            try await checkChange(context, form, try await find(key, context))
        }
        router.post(routes.deletion, needs: resource.deletionRight, at: section, countsForTeam: false) {
            context, form, key in try await delete(context, form, try await find(key, context))
        }
    }

    private func find(_ key: Value.Key, _ context: TeamContext) async throws -> Value {
        try await resource.find(key, in: context.teamID).orNotFound()
    }

    private func create(_ context: TeamContext, _ form: TypedForm) async throws -> Response {
        let outcome = try await FieldErrors.collect {
            try await database.change(by: context) { change in try await resource.create(form, context, change) }
        }
        switch outcome {
        case .failure(let problems):
            let all = form.typed(try await all(problems, of: form, context))
            return try await resource.newPage(context, form, all)
        case .success(let value):
            registry.changed(context.teamID)
            try await resource.didSave(value, context)
            let page = resource.routes.one.link(context.teamID, value.key)
            return context.redirect(to: page, saying: resource.createdMessage(value))
        }
    }

    /// The errors of a new object, with the error of a name that is taken.
    ///
    /// The name is checked in the registry even if other fields are invalid, so that all errors are shown at once.
    private func all(_ problems: FieldErrors, of form: TypedForm, _ context: TeamContext) async throws -> FieldErrors {
        let name = try await FieldErrors.collect {
            try await database.change(by: context) { change in try await resource.checkName(form, change) }
        }
        var problems = problems
        if case .failure(let more) = name {
            for error in more.all where problems[error.path] == nil { problems.add(error.path, error.message) }
        }
        return problems
    }

    private func update(_ context: TeamContext, _ sent: Form, _ current: Value) async throws -> Response {
        let form = TypedForm(sent)
        let version = try sent.version()
        let outcome = try await FieldErrors.collect {
            try await database.change(by: context) { change in
                try await resource.update(
                    current, to: form.typed(over: current.settings), version: version, context, change)
            }
        }
        switch outcome {
        case .failure(let problems):
            let rejected = RejectedForm(typed: (form, version), problems: form.typed(problems))
            return try await resource.show(current, context, rejected)
        case .success(.notFound): throw UserFacingError.notFound
        case .success(.conflict(let theirs)): return showConflict(context, form, theirs)
        case .success(.saved(let value)):
            registry.changed(context.teamID)
            try await resource.didSave(value, context)
            let page = resource.routes.one.link(context.teamID, value.key)
            return context.redirect(to: page, saying: .good(Message("console.forms.saved")))
        }
    }

    private func showConflict(_ context: TeamContext, _ form: TypedForm, _ theirs: Value) -> Response {
        let view = ConflictPage(
            frame: context.frame(Message("console.conflict.title")), heading: theirs.identity,
            auditURL: ConsoleRoutes.audit.link(context.teamID), rows: form.compared(with: theirs),
            action: resource.routes.one.link(context.teamID, theirs.key), version: theirs.version, typed: form.fields)
        return context.site.respond(view, status: .conflict)
    }

    /// Deletes an object if its version is still that of the submitted page.
    ///
    /// After a change by another member the page is shown again, because the consequences it lists may have changed.
    private func delete(_ context: TeamContext, _ sent: Form, _ value: Value) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: value.identity)
        guard let reason = confirmation.reason else {
            return try await resource.show(value, context, RejectedForm(confirmation: confirmation))
        }
        guard try sent.version() == value.version else {
            let refused = confirmation.refused(for: .changedMeanwhile)
            return try await resource.show(value, context, RejectedForm(confirmation: refused))
        }
        let outcome = try await FieldErrors.collect {
            try await database.change(by: context) { change in
                try await resource.delete(value, reason: reason, context, change)
            }
        }
        switch outcome {
        case .failure(let problems):
            let refused = confirmation.refused(for: problems)
            return try await resource.show(value, context, RejectedForm(confirmation: refused))
        case .success(false): throw UserFacingError.notFound
        case .success(true): break
        }
        registry.changed(context.teamID)
        let home = resource.home(of: context.teamID)
        return context.redirect(to: home, saying: resource.deletedMessage(value))
    }
}

// Validation while the user types: makes the change and rolls it back, so that it reports the same errors as saving.
extension ResourceEditor {
    private struct Rehearsed: Error {}

    private func checkNew(_ context: TeamContext, _ form: TypedForm) async throws -> Response {
        let problems = try await rehearse(context) { change in _ = try await resource.create(form, context, change) }
        return Self.answer(try await all(problems, of: form, context), form, context)
    }

    private func checkChange(_ context: TeamContext, _ sent: Form, _ current: Value) async throws -> Response {
        let form = TypedForm(sent)
        let problems = try await rehearse(context) { change in
            let version = current.version
            _ = try await resource.update(
                current, to: form.typed(over: current.settings), version: version, context, change)
        }
        return Self.answer(problems, form, context)
    }

    private func rehearse(_ context: TeamContext, _ body: (borrowing Change) async throws -> Void) async throws
        -> FieldErrors
    {
        let outcome = try await FieldErrors.collect {
            do {
                try await database.change(by: context) { change in
                    try await body(change)
                    throw Rehearsed()
                }
            } catch is Rehearsed {}
        }
        return if case .failure(let problems) = outcome { problems } else { FieldErrors() }
    }

    /// The errors as JSON, each with the id of the element that it belongs to.
    private static func answer(_ problems: FieldErrors, _ form: TypedForm, _ context: TeamContext) -> Response {
        let members = form.typed(problems).all.map { problem -> JSONValue in
            ["id": .string(form.element(of: problem.path)), "message": .string(context.site.text(problem.message))]
        }
        let json = JSON.encode(["problems": JSONValue.array(members)] as JSONValue)
        return .unstored(String(decoding: json, as: UTF8.self), type: "application/json")
    }
}
