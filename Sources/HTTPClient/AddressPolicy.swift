/// Which addresses a request may connect to.
///
/// It is asked about the address actually connected to, not about the name, so neither a name that changes
/// its address between two look-ups nor a redirect passes.
public enum AddressPolicy: Sendable {
    /// Addresses of the public Internet alone: for everything a team can name.
    case publicOnly
    /// These and loopback: for sandbox teams where the operator allows it.
    case publicAndLoopback
    /// Any: for what the operator has configured, as a mail relay in the next room.
    case any

    func allows(_ address: PeerAddress) -> Bool {
        switch self {
        case .publicOnly: address.isPublic
        case .publicAndLoopback: address.isPublic || address.isLoopback
        case .any: true
        }
    }
}
