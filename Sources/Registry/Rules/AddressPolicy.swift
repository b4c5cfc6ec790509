/// Which hosts a team may register.
public enum AddressPolicy: Sendable {
    /// Host names over https: a production team.
    case hostNames
    /// Loopback addresses over http as well: a team in sandbox mode.
    case hostNamesAndLoopback
}
