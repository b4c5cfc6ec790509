/// The addresses that a request may connect to.
///
/// It is applied to the address actually connected to, not to the host name, so neither a name that changes its address
/// between two look-ups nor a redirect bypasses it.
public enum AddressPolicy: Sendable {
    /// Public Internet addresses only: for every URL that a team can configure.
    case publicOnly
    /// Public and loopback addresses: for sandbox teams when the operator allows it.
    case publicAndLoopback
    /// Any address: for servers that the operator configures, such as a mail relay on the local network.
    case any

    func allows(_ address: PeerAddress) -> Bool {
        switch self {
        case .publicOnly: address.isPublic
        case .publicAndLoopback: address.isPublic || address.isLoopback
        case .any: true
        }
    }
}
