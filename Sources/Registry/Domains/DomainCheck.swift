public import Domain
public import HTTPClient

/// Asks a domain for its association file, as anybody on the Internet would.
public struct DomainCheck: Sendable {
    /// A page that is served in place of the file may be long; its beginning is worth showing.
    static let longestBody = 1 << 20

    private let client: HTTPClient
    private let team: TeamID
    private let allowsLoopback: Bool
    private let deadline: Duration

    /// - Parameters:
    ///   - team: whose domains are asked; teams take turns at the client.
    ///   - allowsLoopback: whether addresses of this machine may be asked: those of sandbox teams, where the operator
    ///     allows it.
    public init(
        _ client: HTTPClient,
        for team: TeamID,
        allowsLoopback: Bool,
        deadline: Duration = .seconds(10)
    ) {
        self.client = client
        self.team = team
        self.allowsLoopback = allowsLoopback
        self.deadline = deadline
    }

    /// To be called on the client's loop.
    ///
    /// - Parameter url: see `DomainName.associationURL`.
    public func run(_ url: String, expecting file: AssociationFile) async -> DomainFinding {
        var request = ClientRequest("GET", url, deadline: deadline, bodyLimit: Self.longestBody)
        request.owner = team.rawValue
        request.addresses = allowsLoopback ? .publicAndLoopback : .publicOnly
        do throws(ClientFailure) {
            return DomainFinding(of: try await client.send(request), expecting: file)
        } catch {
            return DomainFinding(of: error)
        }
    }
}
