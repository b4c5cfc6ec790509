import Core
import Crypto
import EventLoop
import Platform
import Registry

/// `pippin setup-link`.
struct SetupLinkCommand {
    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        let made = try ServerProcess.run(settings) { process throws(CommandFailure) in
            let (worker, server) = (process.loopServices[0], process.server)
            do { return try worker.loop.wait { try await Self.link(worker, server) } } catch {
                throw error as? CommandFailure ?? CommandFailure("the set-up link cannot be made: \(describing: error)")
            }
        }
        guard let link = made else { throw CommandFailure("this installation is already set up: it has an operator") }
        Terminal.say(link)
        Terminal.say("It takes the place of every link that was printed before.")
        return .success
    }

    /// A new setup link, or nil if there is an operator; called on the worker's loop.
    static func link(_ worker: LoopServices, _ server: ServerContext) async throws(CommandFailure) -> String? {
        do {
            let token = try await SetupLinkStore(SystemDatabase(worker.system)).issue()
            return token.map { "\(server.publicURL)/setup/\($0.text)" }
        } catch { throw CommandFailure("the set-up link cannot be made: \(describing: error)") }
    }
}
