/// Runs `attempt` so many times at once, each with a number of its own, and answers what came of them, in no order.
public func race<Value: Sendable>(_ count: Int, _ attempt: @escaping @Sendable (Int) async throws -> Value) async throws
    -> [Value]
{
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await attempt(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// How many of so many attempts at once succeed, where all others are refused with that error.
public func race<Refusal: Error & Equatable>(
    _ count: Int, refused refusal: Refusal, _ attempt: @escaping @Sendable (Int) async throws -> Void
) async throws -> Int {
    try await race(count) { number in
        do {
            try await attempt(number)
            return true
        } catch let error as Refusal where error == refusal { return false }
    }.count { $0 }
}
