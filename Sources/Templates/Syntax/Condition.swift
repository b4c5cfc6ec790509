/// What a block asks for; only `if` can negate.
struct Condition: Equatable, Sendable {
    let path: Path
    let isNegated: Bool
}
