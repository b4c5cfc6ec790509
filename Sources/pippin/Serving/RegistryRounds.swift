import Domain
import EventLoop
import Log
import Registry

/// What is asked about teams' registries now and then, whoever asks or not, until the server stops.
struct RegistryRounds: Sendable {
    private let loop: EventLoop
    private let round: RegistryCheckRound
    private let log: Log
    private let isOpen: @Sendable () -> Bool

    init(_ house: House) {
        let worker = house.workers[0]
        let checks = worker.checks(allowsLoopback: house.installation.settings.allowsLoopback)
        loop = worker.loop
        round = RegistryCheckRound(SystemDatabase(worker.system), checks)
        log = house.log
        isOpen = house.isOpenCheck
    }

    func begin() {
        Task(executorPreference: loop) {
            while isOpen() {
                do {
                    try await round.run()
                } catch {
                    if isOpen() { log(.warning, "registry.not-checked", ("cause", "\(error)")) }
                }
                await loop.sleep(for: RegistryCheckRound.interval)
            }
        }
    }
}
