import Bytes
import Domain
import Registry

extension AppIDConsequences {
    /// What goes with it, a sentence each.
    var sentences: [Phrase] {
        var sentences: [Phrase] = []
        if !serviceIDs.isEmpty {
            sentences.append(
                Phrase("console.app-ids.delete.service-ids", ["identifiers": serviceIDs.map(\.rawValue)])
            )
        }
        if !activeKeys.isEmpty {
            sentences.append(Phrase("console.app-ids.delete.keys", ["keys": activeKeys.map(\.rawValue)]))
        }
        if !appleKeys.isEmpty {
            sentences.append(
                Phrase("console.app-ids.delete.apple-keys", ["keys": appleKeys.map(\.rawValue)])
            )
        }
        if !groupedAppIDs.isEmpty {
            sentences.append(
                Phrase("console.app-ids.delete.grouped", ["identifiers": groupedAppIDs.map(\.rawValue)])
            )
        }
        if people > Self.countLimit {
            sentences.append(Phrase("console.app-ids.delete.more-people", count: Self.countLimit))
        } else if people > 0 {
            sentences.append(Phrase("console.app-ids.delete.people", count: people))
        }
        return sentences
    }
}
