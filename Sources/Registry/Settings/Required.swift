/// A setting without a value that could stand for it in a new object; the settings of a stored or parsed one have it.
@propertyWrapper public struct Required<Value: Hashable & Sendable>: Hashable, Sendable {
    public var projectedValue: Value?

    public init() {}

    public var wrappedValue: Value {
        get {
            guard let projectedValue else { preconditionFailure("the settings were not parsed") }
            return projectedValue
        }
        set { projectedValue = newValue }
    }
}
