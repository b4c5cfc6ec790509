/// Type-erased page, group or row that is being rendered.
@usableFromInline class Scope { @usableFromInline init() {} }

/// The scope that holds a `Value`.
@usableFromInline final class ValueScope<Value>: Scope {
    @usableFromInline let value: Value

    @inlinable init(_ value: Value) { self.value = value }
}
