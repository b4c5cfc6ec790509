/// Which hosts a team may register.
public struct AddressPolicy: Sendable {
    /// Host names over https: a production team.
    public static let hostNames = AddressPolicy(allowsLoopback: false)
    /// Loopback addresses over http as well: a team in sandbox mode.
    public static let hostNamesAndLoopback = AddressPolicy(allowsLoopback: true)

    let allowsLoopback: Bool
    /// Where Pippin itself is reached: no address of a team's.
    private(set) var own: WebAddress?

    private init(allowsLoopback: Bool) {
        self.allowsLoopback = allowsLoopback
    }

    /// The same, apart from Pippin's own address.
    ///
    /// A return URL there would hand an app's codes to Pippin's own pages, and a notification would call them.
    ///
    /// - Parameter publicURL: an origin.
    public func apart(from publicURL: String) -> AddressPolicy {
        var policy = self
        policy.own = try? WebAddress(parsing: publicURL, policy: .hostNamesAndLoopback)
        return policy
    }
}
