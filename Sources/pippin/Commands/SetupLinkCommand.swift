import AuthEngine
import Crypto
import Domain
import EventLoop
import Postgres
import Tenancy

/// `pippin setup-link`.
struct SetupLinkCommand {
    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        let (installation, _) = try Installation.open(settings)
        defer { installation.close() }
        let house = try House(installation)
        defer { house.close() }
        guard let link = try Self.link(house) else {
            throw CommandFailure("this installation has its operator already; set-up is over")
        }
        Terminal.say(link)
        Terminal.say("It takes the place of every link that was printed before.")
        return .success
    }

    /// A fresh link, or nil once there is an operator.
    static func link(_ house: House) throws(CommandFailure) -> String? {
        let worker = house.workers[0]
        let base = house.context.publicURL
        do {
            return try worker.loop.wait {
                let token = try await SetupLinkStore(SystemDatabase(worker.system)).issue()
                return token.map { "\(base)/setup/\($0.text)" }
            }
        } catch {
            throw CommandFailure("the set-up link cannot be made: \(error)")
        }
    }
}
