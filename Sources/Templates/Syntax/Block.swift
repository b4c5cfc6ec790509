/// A block with everything inside it.
struct Block: Sendable {
    let kind: BlockKind
    /// Where its opening tag stands.
    let offset: Int
    /// One for `each` and `with`; one per `if` and `else if` otherwise.
    var arms: [Arm]
    var otherwise: [Node] = []

    struct Arm: Sendable {
        let condition: Condition
        var nodes: [Node] = []
    }
}
