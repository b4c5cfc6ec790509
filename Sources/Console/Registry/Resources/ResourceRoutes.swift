import Domain
import HTTP
import Web

/// The addresses of one kind of thing.
struct ResourceRoutes<Key: PathValue>: Sendable {
    let list: Route<TeamID>
    let new: Route<TeamID>
    let one: Route<TeamID, Key>
    let deletion: Route<TeamID, Key>
    /// Where a new one is checked as it is typed.
    let check: Route<TeamID>
    /// Where a change is checked as it is typed.
    let checkOne: Route<TeamID, Key>
}
