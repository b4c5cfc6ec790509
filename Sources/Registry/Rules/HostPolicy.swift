/// The hosts that a team may register.
public struct HostPolicy: Sendable {
    /// Host names over https: the policy of a production team.
    public static let hostNames = HostPolicy(allowsLoopback: false)
    /// Also loopback addresses over http: the policy of a team in sandbox mode.
    public static let hostNamesAndLoopback = HostPolicy(allowsLoopback: true)

    let allowsLoopback: Bool
    /// Pippin's own address, which no team may register.
    private(set) var own: WebAddress?

    private init(allowsLoopback: Bool) { self.allowsLoopback = allowsLoopback }

    /// The policy that also excludes Pippin's own address.
    ///
    /// A return URL there would deliver an app's codes to Pippin's own pages, and a notification would call them.
    ///
    /// - Parameter publicURL: the origin of this installation.
    public func apart(from publicURL: String) -> HostPolicy {
        var policy = self
        policy.own = try? WebAddress(parsing: publicURL, policy: .hostNamesAndLoopback)
        return policy
    }
}
