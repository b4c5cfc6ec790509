import AuthEngine
import Doctor
import Domain
import Jobs
import Log

extension House {
    /// Looks whether Apple describes itself as it is known; a difference is an alarm in the log and to operators.
    ///
    /// Apple changes its keys as a matter of course, so those are worth a warning alone.
    func appleWatch(on worker: Worker) -> [Schedule] {
        guard installation.settings.watchesApple else { return [] }
        let log = log
        let watch = AppleWatch(TeamDatabase(worker.app), apple: worker.apple, clock: context.clock) {
            document in
            log(
                document.name == .keys ? .warning : .error,
                "apple.drift",
                ("document", document.name.rawValue),
                ("members", document.differences.map(\.name).joined(separator: " "))
            )
        }
        return [Schedule("apple.watch", every: AppleWatch.interval) { try await watch.look() }]
    }
}

extension Settings {
    /// Not where only this machine reaches Pippin: nobody comes there from Apple, unless from a stand-in.
    var watchesApple: Bool { !publicURL.isLoopback || simulatesApple }
}
