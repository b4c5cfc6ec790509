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
        let (worker, context) = (house.workers[0], house.context)
        let made: String?
        do {
            made = try worker.loop.wait { try await Self.link(worker, context) }
        } catch {
            throw error as? CommandFailure ?? CommandFailure("the set-up link cannot be made: \(error)")
        }
        guard let link = made else {
            throw CommandFailure("this installation has its operator already; set-up is over")
        }
        Terminal.say(link)
        Terminal.say("It takes the place of every link that was printed before.")
        return .success
    }

    /// A fresh link, or nil once there is an operator; on the worker's loop.
    static func link(_ worker: Worker, _ context: EngineContext) async throws(CommandFailure) -> String? {
        do {
            let token = try await SetupLinkStore(SystemDatabase(worker.system)).issue()
            return token.map { "\(context.publicURL)/setup/\($0.text)" }
        } catch {
            throw CommandFailure("the set-up link cannot be made: \(error)")
        }
    }
}
