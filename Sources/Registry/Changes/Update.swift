/// How a change of something that may have changed meanwhile went.
public enum Update<Value: Sendable>: Sendable {
    case saved(Value)
    /// Someone else saved first: nothing was changed, and this is how it is now.
    case conflict(current: Value)
    /// The team has none of that name.
    case notFound
}

extension Update: Equatable where Value: Equatable {}
