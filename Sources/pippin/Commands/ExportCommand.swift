import Domain
import EventLoop
import Provisioning

/// `pippin export`.
struct ExportCommand {
    let settings: Settings
    let team: String

    func run() throws(CommandFailure) -> ExitStatus {
        guard let id = TeamID(rawValue: team), id != .system else {
            throw CommandFailure("\(team) is not a Team ID: 10 characters A-Z and 0-9")
        }
        let (installation, _) = try Installation.open(settings)
        defer { installation.close() }
        let process = try ServerProcess(installation)
        defer { process.close() }
        let provisioner = process.provisioner
        let file: RegistryFile?
        do { file = try process.loops[0].wait { try await provisioner.export(id) } } catch {
            throw CommandFailure("the team cannot be exported: \(error)")
        }
        guard let file else { throw CommandFailure("there is no team \(id)") }
        Terminal.pass(file.json + [UInt8(ascii: "\n")])
        return .success
    }
}
