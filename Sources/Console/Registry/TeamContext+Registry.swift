import Domain
import Registry
import Tenancy
import Web

extension TeamContext {
    /// Rule for the hosts that the team may register.
    var addressPolicy: HostPolicy {
        let policy: HostPolicy = team.settings.mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: site.publicURL)
    }
}
