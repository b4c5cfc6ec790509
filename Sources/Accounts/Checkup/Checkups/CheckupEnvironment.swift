import Core
import HTTP
import Platform
import Registry

/// The server and the HTTP client that a check-up uses, with properties of the public URL.
struct CheckupEnvironment: Sendable {
    /// Validity that ends within this time is reported.
    static let horizon = Duration.seconds(30 * 86_400)

    let server: ServerContext
    let client: HTTPClient

    /// The response to a request, with the server's certificate.
    func answer(_ request: ClientRequest) async -> Result<ClientResponse, ClientFailure> {
        var request = request
        request.asksForCertificate = true
        do throws(ClientFailure) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    /// Whether the public URL is on a loopback address, which only this machine reaches.
    var isLoopback: Bool { Loopback.contains(server.publicHost) }

    var isEncrypted: Bool { server.publicURL.hasPrefix("https://") }

    /// The public URL's host, with its port.
    var host: String { server.publicURL.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
}
