import Domain
import Registry
import Tenancy
import Web

extension Scope {
    /// Which hosts the team may register.
    var addressPolicy: AddressPolicy {
        let policy: AddressPolicy = team.settings.mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: site.publicURL)
    }
}
