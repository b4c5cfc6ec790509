import Synchronization

/// A value that costs something, made when it is first asked for and kept from then on.
///
/// Two that ask at once may both make it; the value is the same.
final class KeptValue<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
    }

    var value: Value {
        if let value = made.withLock({ $0 }) { return value }
        let value = make()
        made.withLock { $0 = value }
        return value
    }

    /// Whether it was made already.
    var isMade: Bool { made.withLock { $0 != nil } }
}
