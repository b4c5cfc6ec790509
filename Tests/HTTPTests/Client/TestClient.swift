import EventLoop
import HTTP
import TestSupport
import Testing

/// A client and a server to call, each on a loop of its own, for the length of one test.
struct TestClient: Sendable {
    let client: HTTPClient
    let loop: EventLoop
    let port: UInt16

    /// Sends a request on the client's loop.
    func send(_ request: ClientRequest) async throws -> ClientResponse {
        try await loop.run { try await client.send(request) }
    }

    /// Sends a request to the server of the test.
    func send(
        _ method: String = "GET", _ path: String, host: String = "127.0.0.1",
        _ change: (inout ClientRequest) -> Void = { _ in }
    ) async throws -> ClientResponse {
        let address = "http://\(host):\(port)\(path)"
        var request = ClientRequest(method, address, deadline: .testTimeout, addresses: .publicAndLoopback)
        change(&request)
        return try await send(request)
    }

    /// How a request fails.
    func failure(_ request: ClientRequest) async -> ClientFailure? {
        do {
            _ = try await send(request)
            return nil
        } catch { return error as? ClientFailure }
    }
}

extension ClientRequest {
    /// A request that may take as long as it likes.
    static func get(_ url: String, addresses: AddressPolicy = .any) -> ClientRequest {
        ClientRequest("GET", url, deadline: .testTimeout, addresses: addresses)
    }
}

/// Runs `body` with a client and with a server that has the routes `declare` adds.
func withClient(
    options: HTTPClient.Options = HTTPClient.Options(), tls: ServerTLS? = nil,
    routes declare: (inout Router) -> Void = { _ in }, _ body: (TestClient) async throws -> Void
) async throws {
    var router = Router()
    declare(&router)
    let loops = try [EventLoop(name: "client"), EventLoop(name: "server")]
    for loop in loops { try loop.start() }
    defer { for loop in loops { loop.stop() } }
    var serverOptions = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
    for timeout in [\ServerOptions.headTimeout, \.keepAlive, \.bodyTimeout, \.answerTimeout, \.sendTimeout] {
        serverOptions[keyPath: timeout] = .testTimeout
    }
    serverOptions.tls = tls
    let application = Application(routes: try router.frozen())
    let server = try await Server.start(application, serverOptions, on: [loops[1]])[0]
    let client = try await loops[0].run { try HTTPClient(on: loops[0], options) }
    let result: Result<Void, any Error>
    do { result = .success(try await body(TestClient(client: client, loop: loops[0], port: server.port))) } catch {
        result = .failure(error)
    }
    try await loops[0].run { client.close() }
    try await loops[1].run { await server.stop(within: .zero) }
    try result.get()
}
