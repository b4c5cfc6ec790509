/// The three blocks.
enum BlockKind: String, Equatable, Sendable, CaseIterable {
    case `if`, each, with
}
