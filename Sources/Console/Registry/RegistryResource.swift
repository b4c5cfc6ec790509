import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn

/// A kind of object in a team's registry, such as App IDs: created, edited with conflict detection, deleted.
///
/// `ResourceEditor` implements what all kinds have in common; a conforming type provides the rest.
protocol RegistryResource: ConsolePages {
    associatedtype Value: DeclaredObject

    var routes: ResourceRoutes<Value.Key> { get }
    var section: Section { get }
    /// Right that a member needs for changes.
    var right: Right { get }
    /// Right that a member needs to delete one; another one where that ends people's tokens.
    var deletionRight: Right { get }

    /// Page with the form for a new object.
    func newPage(_ context: TeamContext, _ form: SettingsForm<Value>, _ problems: FieldErrors) async throws -> Response
    /// Page of one object, with its forms.
    func show(_ value: Value, _ context: TeamContext, _ rejected: RejectedForm<Value>) async throws -> Response
    /// The initial form for a new object.
    func emptyForm(_ context: TeamContext) -> SettingsForm<Value>

    func find(_ key: Value.Key, in team: TeamID) async throws -> Value?
    /// - Throws: `FieldErrors` or `ValidationError` if a rule is violated.
    func create(_ form: SettingsForm<Value>, _ context: TeamContext, _ change: borrowing Change) async throws -> Value
    /// - Throws: `FieldErrors` or `ValidationError` if a rule is violated.
    func update(_ value: Value, to typed: Typed, version: Int, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Update<Value>
    /// - Returns: whether the object still existed.
    func delete(_ value: Value, reason: String, _ context: TeamContext, _ change: borrowing Change) async throws -> Bool

    /// Rejects a name that is taken, regardless of other errors in the form.
    ///
    /// - Throws: `ValidationError`.
    func checkName(_ form: SettingsForm<Value>, _ change: borrowing Change) async throws

    /// Path to which a deletion redirects.
    func home(of team: TeamID) -> String
    /// Message on the page of a new object.
    func createdMessage(_ value: Value) -> Flash?
    /// Message after a deletion, on the page at `home`.
    func deletedMessage(_ value: Value) -> Flash
    /// Called after an object is created or changed, before the response.
    func didSave(_ value: Value, _ context: TeamContext) async throws
}

/// A registry resource with its own list page.
protocol ListedResource: RegistryResource { func list(_ context: TeamContext) async throws -> ListView }

extension ListedResource {
    func mount(on router: inout ConsoleRouter) { mountList(on: &router) }

    func mountList(on router: inout ConsoleRouter) {
        router.get(routes.list, needs: .read, at: section) { context in
            context.site.respond(ListPage(context, try await list(context)))
        }
    }
}

extension RegistryResource {
    func mount(on router: inout ConsoleRouter) {}

    var deletionRight: Right { right }
    func emptyForm(_ context: TeamContext) -> SettingsForm<Value> { SettingsForm() }
    func checkName(_ form: SettingsForm<Value>, _ change: borrowing Change) async throws {}
    func home(of team: TeamID) -> String { routes.list.link(team) }
    func createdMessage(_ value: Value) -> Flash? { nil }
    func didSave(_ value: Value, _ context: TeamContext) async throws {}

    /// The form for a new object.
    func creating(_ context: TeamContext, _ form: SettingsForm<Value>, _ problems: FieldErrors, _ inputs: [Input])
        -> FormView
    {
        FormView(
            action: routes.list.link(context.teamID), checkURL: routes.check.link(context.teamID),
            errors: form.links(problems), inputs: inputs)
    }

    /// The form that changes an object, as typed or with the saved values; nil without the right to change it.
    func editing(
        _ value: Value, _ context: TeamContext, _ rejected: RejectedForm<Value>,
        _ inputs: (SettingsForm<Value>, FieldErrors) -> (inputs: [Input], more: [Input])
    ) -> FormView? {
        guard context.may(right) else { return nil }
        let (form, problems) = (rejected.typed?.form ?? SettingsForm(value), rejected.problems)
        let (first, more) = inputs(form, problems)
        return FormView(
            action: routes.one.link(context.teamID, value.key),
            checkURL: routes.checkOne.link(context.teamID, value.key),
            version: rejected.typed?.version ?? value.version, errors: form.links(problems), inputs: first, more: more)
    }

    /// The form that deletes an object; nil without the right to delete it.
    func danger(
        _ value: Value, _ context: TeamContext, _ rejected: RejectedForm<Value>, summary: Message,
        consequences: [Message] = [], button: Message
    ) -> DangerView? {
        guard context.may(deletionRight) else { return nil }
        return (rejected.confirmation ?? Confirmation(expecting: value.identity)).view(
            action: routes.deletion.link(context.teamID, value.key), summary: summary, consequences: consequences,
            button: button, version: value.version)
    }
}

/// Routes of one registry resource.
struct ResourceRoutes<Key: PathValue>: Sendable {
    let list: Route<TeamID>
    let new: Route<TeamID>
    let one: Route<TeamID, Key>
    let deletion: Route<TeamID, Key>
    /// Validates the form of a new object while the user types.
    let check: Route<TeamID>
    /// Validates a change of an object while the user types.
    let checkOne: Route<TeamID, Key>
}

/// Rejected form of an object's page, to be shown again: the settings with their errors, or the deletion.
struct RejectedForm<Object: DeclaredObject>: Sendable {
    var typed: (form: SettingsForm<Object>, version: Int)?
    /// Errors of the settings.
    var problems = FieldErrors()
    var confirmation: Confirmation?

    /// Status of the page.
    var status: Status { confirmation?.status ?? problems.status }
}
