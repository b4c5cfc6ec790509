import Doctor
import Domain
import Jobs
import Log

extension ServerProcess {
    /// Schedule that compares Apple's documents with the known ones; differences go to the log and to operators.
    ///
    /// Apple changes its keys routinely, so a change of keys is only a warning.
    func appleWatch(on services: LoopServices) -> [Schedule] {
        guard installation.settings.watchesApple else { return [] }
        let log = log
        let watch = AppleWatch(services.database, apple: services.apple, clock: server.clock) { document in
            log(
                document.name == .keys ? .warning : .error, "apple.drift", ("document", document.name.rawValue),
                ("members", document.differences.map(\.name).joined(separator: " ")))
        }
        return [Schedule("apple.watch", every: AppleWatch.interval) { try await watch.check() }]
    }
}

extension Settings {
    /// False if only this machine reaches Pippin and the simulator is off, because Apple cannot send users there.
    var watchesApple: Bool { !publicURL.isLoopback || simulatesApple }
}
