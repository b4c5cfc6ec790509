import Accounts
import CLinux
import Core
import EventLoop
import Glibc
import HTTP
import Platform
import Postgres
import Registry

/// `pippin export`.
struct ExportCommand {
    let settings: Settings
    let team: String

    func run() throws(CommandFailure) -> ExitStatus {
        guard let id = TeamID(rawValue: team), id != .system else {
            throw CommandFailure("\(team) is not a Team ID: 10 characters A-Z and 0-9")
        }
        let isThere = try ServerProcess.run(settings) { process throws(CommandFailure) in
            let provisioner = process.provisioner
            do { return try process.loops[0].wait { try await provisioner.export(id) { Terminal.pass($0) } } } catch {
                throw CommandFailure("the team cannot be exported: \(describing: error)")
            }
        }
        guard isThere else { throw CommandFailure("there is no team \(id)") }
        return .success
    }
}
