import Core

/// The position after which verification begins once older events were deleted.
struct Checkpoint: Sendable {
    let position: Int
    let code: [UInt8]
    /// Time of the latest event up to the position.
    let latestAt: Timestamp
    let madeAt: Timestamp
}
