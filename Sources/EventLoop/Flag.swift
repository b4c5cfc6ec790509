import Synchronization

/// A flag that any thread can read and set, and that stays set.
public final class Flag: Sendable {
    private let value = Atomic(false)

    /// Creates a flag that is not set.
    public init() {}

    /// Whether the flag is set; writes made before `set` are then visible to the reader.
    public var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets the flag permanently.
    ///
    /// - Returns: whether it was not set before.
    @discardableResult public func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
