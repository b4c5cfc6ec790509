import Domain
import HTTP
import Web

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
