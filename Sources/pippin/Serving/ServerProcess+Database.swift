import EventLoop
import Postgres

// PostgreSQL while the server stops.
extension ServerProcess {
    /// Time without an answer after which a database is closed.
    private static let silence = Duration.seconds(1)

    /// Performs `work` while watching the databases of all loops, and closes those that do not answer.
    ///
    /// Operations that wait for a closed database fail as if the process were killed, and are resumed later.
    ///
    /// - Returns: whether every database answered until the end.
    static func stop(_ loopServices: [LoopServices], doing work: @escaping @Sendable () async -> Void) async -> Bool {
        let isDone = Flag()
        return await withTaskGroup(of: Bool.self) { group in
            for services in loopServices {
                group.addTask(executorPreference: services.loop) { await watch(services, until: isDone) }
            }
            await work()
            isDone.set()
            return await group.reduce(true) { $0 && $1 }
        }
    }

    private static func watch(_ services: LoopServices, until isDone: Flag) async -> Bool {
        repeat {
            guard await answers(services) else {
                services.app.close()
                services.system.close()
                return false
            }
            await services.loop.sleep(for: .milliseconds(20))
        } while !isDone.isSet
        return true
    }

    /// Whether one of the two databases answers: slow statements may occupy all connections of the other.
    private static func answers(_ services: LoopServices) async -> Bool {
        async let isThere = services.app.answers(within: silence)
        if await services.system.answers(within: silence) { return true }
        return await isThere
    }
}
