/// The scope of a `Value`.
@usableFromInline
final class Holder<Value>: Scope {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
