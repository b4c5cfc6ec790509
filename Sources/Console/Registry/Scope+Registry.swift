import Domain
import Registry
import Tenancy

extension Scope {
    /// Which hosts the team may register.
    var addressPolicy: AddressPolicy {
        team.settings.mode == .sandbox ? .hostNamesAndLoopback : .hostNames
    }
}
