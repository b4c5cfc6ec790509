import Domain
import HTTP
import Postgres
import Registry

/// A kind of thing that a team registers: listed, made, edited by one person at a time, deleted with a reason.
///
/// `ResourceFlow` has what is the same for all of them; each tells here what is its own.
protocol RegistryResource: Sendable {
    associatedtype Value: RegisteredThing
    associatedtype Form: ResourceForm where Form.Value == Value

    var routes: ResourceRoutes<Value.Key> { get }
    var section: Section { get }
    /// What its changes ask of a member.
    var right: Right { get }

    /// The form for a new one.
    func ask(_ scope: Scope, _ form: Form, _ problems: FormProblems) async throws -> Response
    /// The page of one, with its form.
    func show(_ value: Value, _ scope: Scope, _ unfinished: Unfinished<Form>) async throws -> Response
    /// The form before anything was typed.
    func blank(_ scope: Scope) -> Form

    func find(_ key: Value.Key, in team: TeamID) async throws -> Value?
    /// - Throws: `Problems` or `Refusal` when a rule stands against it.
    func create(_ form: Form, _ scope: Scope, _ transaction: borrowing Transaction) async throws -> Value
    /// - Throws: `Problems` or `Refusal` when a rule stands against it.
    func update(
        _ value: Value,
        to form: Form,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<Value>
    /// - Returns: whether it was still there.
    func delete(
        _ value: Value,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool

    /// Refuses a name that is taken, whatever else is wrong with the form.
    ///
    /// - Throws: `Refusal`.
    func checkName(_ form: Form, _ scope: Scope, _ transaction: borrowing Transaction) async throws

    /// The page that a deletion leads to.
    func home(of team: TeamID) -> String
    /// What is said on the page of a new one.
    func praise(_ value: Value) -> Flash?
    /// What is said there when one is gone.
    func farewell(_ value: Value) -> Flash
    /// Called when one was made or saved, before the answer.
    func settled(_ value: Value, _ scope: Scope) async throws
}

/// One that has a list of its own.
protocol ListedResource: RegistryResource {
    func index(_ scope: Scope) async throws -> Response
}

extension RegistryResource {
    func checkName(_ form: Form, _ scope: Scope, _ transaction: borrowing Transaction) async throws {}
    func home(of team: TeamID) -> String { routes.list.link(team) }
    func praise(_ value: Value) -> Flash? { nil }
    func settled(_ value: Value, _ scope: Scope) async throws {}
}

/// Something that is registered under a name.
protocol RegisteredThing: Sendable {
    associatedtype Key: PathValue & Sendable

    /// What its address has.
    var key: Key { get }
    /// What is typed to confirm that it shall go.
    var identity: String { get }
    /// Raised with every change.
    var version: Int { get }
}
