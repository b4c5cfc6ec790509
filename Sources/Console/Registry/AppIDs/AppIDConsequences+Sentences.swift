import Bytes
import Domain
import Localization
import Registry

extension AppIDConsequences {
    /// Consequences of deleting the App ID, one sentence each.
    var sentences: [Message] {
        var sentences: [Message] = []
        if !serviceIDs.isEmpty {
            sentences.append(Message("console.app-ids.delete.service-ids", ["identifiers": serviceIDs.map(\.rawValue)]))
        }
        if !activeKeys.isEmpty {
            sentences.append(Message("console.app-ids.delete.keys", ["keys": activeKeys.map(\.rawValue)]))
        }
        if !appleKeys.isEmpty {
            sentences.append(Message("console.app-ids.delete.apple-keys", ["keys": appleKeys.map(\.rawValue)]))
        }
        if !groupedAppIDs.isEmpty {
            sentences.append(Message("console.app-ids.delete.grouped", ["identifiers": groupedAppIDs.map(\.rawValue)]))
        }
        if people > Self.countLimit {
            sentences.append(Message("console.app-ids.delete.more-people", count: Self.countLimit))
        } else if people > 0 {
            sentences.append(Message("console.app-ids.delete.people", count: people))
        }
        return sentences
    }
}
