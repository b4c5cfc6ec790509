import Synchronization

/// A switch that every thread may look at, and that stays on.
public final class Flag: Sendable {
    private let value = Atomic(false)

    /// A flag that is not set.
    public init() {}

    /// Whether somebody has set it; what they did before is seen then.
    public var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets it for good.
    ///
    /// - Returns: whether it was not set before.
    @discardableResult
    public func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
