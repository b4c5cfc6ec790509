extension [TeamID] {
    /// Runs `body` for each team, so that the failure of one does not stop the others.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func forEachTeam(_ body: (TeamID) async throws -> Void) async throws {
        var failure: (any Error)?
        for team in self { do { try await body(team) } catch { failure = failure ?? error } }
        if let failure { throw failure }
    }
}
