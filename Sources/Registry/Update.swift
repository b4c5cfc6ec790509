/// Result of an update with optimistic locking.
public enum Update<Value: Sendable>: Sendable {
    case saved(Value)
    /// A concurrent change was saved first: nothing was changed, and this is the present value.
    case conflict(current: Value)
    /// The team has no such object.
    case notFound
}

extension Update: Equatable where Value: Equatable {}
