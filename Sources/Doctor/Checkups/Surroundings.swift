import AuthEngine
import Bytes
import HTTPClient
import Registry

/// What is around a team: the place it is reached under.
struct Surroundings: Sendable {
    /// What ends within this time is worth a word.
    static let horizon = Duration.seconds(30 * 86_400)

    let context: EngineContext
    let client: HTTPClient

    /// The answer of an address to this machine, with its certificate.
    func answer(_ request: ClientRequest) async -> Result<ClientResponse, ClientFailure> {
        var request = request
        request.asksForCertificate = true
        do throws(ClientFailure) {
            return .success(try await client.send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Whether only this machine reaches the public URL.
    var isLoopback: Bool { Loopback.contains(context.publicHost) }

    var isEncrypted: Bool { context.publicURL.hasPrefix("https://") }

    /// The public URL's host, with its port.
    var host: String {
        context.publicURL.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    }
}
