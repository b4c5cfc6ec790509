import Domain
import HTTP
import Postgres
import Registry

/// A kind of object in a team's registry, such as App IDs: created, edited with conflict detection, deleted.
///
/// `ResourceEditor` implements what all kinds have in common; a conforming type provides the rest.
protocol RegistryResource: Sendable {
    associatedtype Value: RegisteredThing
    associatedtype Form: ResourceForm where Form.Value == Value

    var routes: ResourceRoutes<Value.Key> { get }
    var section: Section { get }
    /// Right that a member needs for changes.
    var right: Right { get }

    /// Page with the form for a new object.
    func newPage(_ context: TeamContext, _ form: Form, _ problems: FormProblems) async throws -> Response
    /// Page of one object, with its forms.
    func show(_ value: Value, _ context: TeamContext, _ unfinished: Unfinished<Form>) async throws -> Response
    /// The initial form for a new object.
    func emptyForm(_ context: TeamContext) -> Form

    func find(_ key: Value.Key, in team: TeamID) async throws -> Value?
    /// - Throws: `InvalidFields` or `ValidationError` if a rule is violated.
    func create(_ form: Form, _ context: TeamContext, _ transaction: borrowing Transaction) async throws -> Value
    /// - Throws: `InvalidFields` or `ValidationError` if a rule is violated.
    func update(
        _ value: Value, to form: Form, version: Int, _ context: TeamContext, _ transaction: borrowing Transaction
    ) async throws -> Update<Value>
    /// - Returns: whether the object still existed.
    func delete(_ value: Value, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws -> Bool

    /// Rejects a name that is taken, regardless of other errors in the form.
    ///
    /// - Throws: `ValidationError`.
    func checkName(_ form: Form, _ context: TeamContext, _ transaction: borrowing Transaction) async throws

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
protocol ListedResource: RegistryResource { func index(_ context: TeamContext) async throws -> Response }

extension RegistryResource {
    func checkName(_ form: Form, _ context: TeamContext, _ transaction: borrowing Transaction) async throws {}
    func home(of team: TeamID) -> String { routes.list.link(team) }
    func createdMessage(_ value: Value) -> Flash? { nil }
    func didSave(_ value: Value, _ context: TeamContext) async throws {}
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
