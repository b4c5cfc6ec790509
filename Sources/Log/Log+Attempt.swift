extension Log {
    /// Does work that must not fail what it belongs to; an error becomes a warning instead.
    ///
    /// - Parameter request: the id of the request it belongs to, where there is one.
    /// - Returns: whether it succeeded.
    @discardableResult
    public func attempt<Value>(
        _ event: StaticString,
        request: String? = nil,
        _ work: () async throws -> Value
    ) async -> Bool {
        do {
            _ = try await work()
            return true
        } catch {
            callAsFunction(.warning, event, ("request", request), ("cause", "\(error)"))
            return false
        }
    }
}
