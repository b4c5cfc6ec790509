import EventLoop
import Postgres

// PostgreSQL while the server stops.
extension House {
    /// How long a database may be silent before the stop goes on without it.
    private static let silence = Duration.seconds(1)

    /// Watches the databases of all loops while the server stops, and lets go of those that do not answer: what waits for
    /// them fails, as if the process were killed, and is found again.
    ///
    /// - Returns: whether all answered to the end.
    static func stop(_ workers: [Worker], doing work: @escaping @Sendable () async -> Void) async -> Bool {
        let isDone = Flag()
        return await withTaskGroup(of: Bool.self) { group in
            for worker in workers {
                group.addTask(executorPreference: worker.loop) { await watch(worker, until: isDone) }
            }
            await work()
            isDone.set()
            return await group.reduce(true) { $0 && $1 }
        }
    }

    private static func watch(_ worker: Worker, until isDone: Flag) async -> Bool {
        repeat {
            guard await answers(worker) else {
                worker.app.close()
                worker.system.close()
                return false
            }
            await worker.loop.sleep(for: .milliseconds(20))
        } while !isDone.isSet
        return true
    }

    /// Either of the two ways there will do: slow statements may take up all of one.
    private static func answers(_ worker: Worker) async -> Bool {
        async let isThere = worker.app.answers(within: silence)
        if await worker.system.answers(within: silence) { return true }
        return await isThere
    }
}
