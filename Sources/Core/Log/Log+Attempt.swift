extension Log {
    /// Runs work whose failure must not fail the calling operation; an error is logged as a warning instead.
    ///
    /// - Parameter request: ID of the request that the work belongs to, if any.
    /// - Returns: whether the work succeeded.
    @discardableResult public func attempt<Value>(
        _ event: StaticString, request: String? = nil, _ work: () async throws -> Value
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
