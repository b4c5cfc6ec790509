import Synchronization

/// A value that is expensive to make, made at the first access and then cached.
///
/// Two concurrent accesses may both make it, with the same result.
final class LazyValue<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        if let value = made.withLock({ $0 }) { return value }
        let value = make()
        made.withLock { $0 = value }
        return value
    }

    /// Whether the value has been made.
    var isMade: Bool { made.withLock { $0 != nil } }
}
