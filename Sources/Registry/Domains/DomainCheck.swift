public import HTTP
public import Platform

/// Unauthenticated request for a domain's association file.
public struct DomainCheck: Sendable {
    /// Maximum body in octets: a page served in place of the file may be long, and its beginning is worth showing.
    static let longestBody = 1 << 20

    private let client: HTTPClient
    private let team: TeamID
    private let allowsLoopback: Bool
    private let deadline: Duration

    /// - Parameters:
    ///   - team: the owner of the domains; the client shares its connections among teams.
    ///   - allowsLoopback: whether loopback addresses of this machine may be requested: only for sandbox teams, where
    ///     the operator allows it.
    public init(_ client: HTTPClient, for team: TeamID, allowsLoopback: Bool, deadline: Duration = .seconds(10)) {
        self.client = client
        self.team = team
        self.allowsLoopback = allowsLoopback
        self.deadline = deadline
    }

    /// Requests the file; must be called on the client's loop.
    ///
    /// - Parameter url: the URL from `DomainName.associationURL`.
    public func run(_ url: String, expecting file: AssociationFile) async -> DomainFinding {
        var request = ClientRequest("GET", url, deadline: deadline, bodyLimit: Self.longestBody)
        request.owner = team.rawValue
        request.addresses = allowsLoopback ? .publicAndLoopback : .publicOnly
        do throws(ClientFailure) { return DomainFinding(of: try await client.send(request), expecting: file) } catch {
            return DomainFinding(of: error)
        }
    }
}
