import AuthEngine
import Bytes
import HTTPClient

/// What is around a team: the place it is reached under.
struct Surroundings: Sendable {
    let context: EngineContext
    let client: HTTPClient

    /// Whether a path below the public URL answers to this machine, by the name that others use.
    func answers(_ request: ClientRequest) async -> Result<Int, ClientFailure> {
        do throws(ClientFailure) {
            return .success(try await client.send(request).status)
        } catch {
            return .failure(error)
        }
    }

    /// Whether only this machine reaches the public URL.
    var isLoopback: Bool {
        let host = context.publicURL.split(separator: "/").dropFirst().first ?? ""
        return host.hasPrefix("localhost") || host.hasPrefix("127.") || host.hasPrefix("[::1]")
    }
}
