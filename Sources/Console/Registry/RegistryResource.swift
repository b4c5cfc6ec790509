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
    associatedtype Value: RegisteredThing
    associatedtype Form: ResourceForm where Form.Value == Value

    var routes: ResourceRoutes<Value.Key> { get }
    var section: Section { get }
    /// Right that a member needs for changes.
    var right: Right { get }

    /// Page with the form for a new object.
    func newPage(_ context: TeamContext, _ form: Form, _ problems: FieldErrors) async throws -> Response
    /// Page of one object, with its forms.
    func show(_ value: Value, _ context: TeamContext, _ unfinished: Unfinished<Form>) async throws -> Response
    /// The initial form for a new object.
    func emptyForm(_ context: TeamContext) -> Form

    func find(_ key: Value.Key, in team: TeamID) async throws -> Value?
    /// - Throws: `FieldErrors` or `ValidationError` if a rule is violated.
    func create(_ form: Form, _ context: TeamContext, _ change: borrowing Change) async throws -> Value
    /// - Throws: `FieldErrors` or `ValidationError` if a rule is violated.
    func update(_ value: Value, to form: Form, version: Int, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Update<Value>
    /// - Returns: whether the object still existed.
    func delete(_ value: Value, reason: String, _ context: TeamContext, _ change: borrowing Change) async throws -> Bool

    /// Rejects a name that is taken, regardless of other errors in the form.
    ///
    /// - Throws: `ValidationError`.
    func checkName(_ form: Form, _ change: borrowing Change) async throws

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

    func checkName(_ form: Form, _ change: borrowing Change) async throws {}
    func home(of team: TeamID) -> String { routes.list.link(team) }
    func createdMessage(_ value: Value) -> Flash? { nil }
    func didSave(_ value: Value, _ context: TeamContext) async throws {}

    /// The form for a new object.
    func creating(_ context: TeamContext, _ form: Form, _ problems: FieldErrors, _ inputs: [Input]) -> FormView {
        FormView(
            action: routes.list.link(context.teamID), checkURL: routes.check.link(context.teamID),
            errors: form.links(problems), inputs: inputs)
    }

    /// The form that changes an object, as typed or with the saved values; nil without the right to change it.
    func editing(
        _ value: Value, _ context: TeamContext, _ unfinished: Unfinished<Form>,
        _ inputs: (Form, FieldErrors) -> (inputs: [Input], more: [Input])
    ) -> FormView? {
        guard context.may(right) else { return nil }
        let (form, problems) = (unfinished.typed?.form ?? Form(value), unfinished.problems)
        let (first, more) = inputs(form, problems)
        return FormView(
            action: routes.one.link(context.teamID, value.key),
            checkURL: routes.checkOne.link(context.teamID, value.key),
            version: unfinished.typed?.version ?? value.version, errors: form.links(problems), inputs: first, more: more
        )
    }

    /// The form that deletes an object; nil without the right to change it.
    func danger(
        _ value: Value, _ context: TeamContext, _ unfinished: Unfinished<Form>, summary: Message,
        consequences: [Message] = [], button: Message
    ) -> DangerView? {
        guard context.may(right) else { return nil }
        return (unfinished.confirmation ?? Confirmation(expecting: value.identity)).view(
            action: routes.deletion.link(context.teamID, value.key), summary: summary, consequences: consequences,
            button: button, version: value.version)
    }
}

/// An object in a team's registry.
protocol RegisteredThing: Sendable {
    associatedtype Key: PathValue & Sendable

    /// Path segment that identifies the object.
    var key: Key { get }
    /// Text to retype to confirm a deletion.
    var identity: String { get }
    /// Incremented with every change.
    var version: Int { get }
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

/// Form of an object in the registry, with the values as typed.
protocol ResourceForm: Sendable {
    associatedtype Value

    init(_ form: Form)
    /// The form filled from a registered object.
    init(_ value: Value)

    /// The editable fields, as hidden fields of the conflict page.
    var fields: [FormCoding.Field] { get }
    /// Each setting with its typed value and its value in `current`.
    func compared(with current: Value) -> [ConflictPage.Row]
    /// The errors of the parsed values as errors of what was typed: by line, or by row of the page.
    func typed(_ errors: FieldErrors) -> FieldErrors
    /// Id of the page element that shows the errors of a field.
    func element(of path: FieldPath) -> String
    /// Label of a field in the error summary.
    func label(of path: FieldPath) -> Message?
}

extension ResourceForm {
    func typed(_ errors: FieldErrors) -> FieldErrors { errors }

    func element(of path: FieldPath) -> String { path.element }

    func label(of path: FieldPath) -> Message? { path.label }

    /// Error summary above the form.
    func links(_ errors: FieldErrors) -> [ErrorLink] { errors.links(to: element, named: label) }
}

extension FieldPath {
    private static let labels = ["appID": Message("console.registry.app-id"), "name": Message("console.registry.name")]

    /// Label of a field of the registry; nil where the message needs none.
    var label: Message? { Self.labels[name] }
}

/// Rejected form of an object's page, to be shown again: the settings with their errors, or the deletion.
struct Unfinished<Form: Sendable>: Sendable {
    var typed: (form: Form, version: Int)?
    /// Errors of the settings.
    var problems = FieldErrors()
    var confirmation: Confirmation?

    /// Status of the page.
    var status: Status { confirmation?.status ?? problems.status }
}
