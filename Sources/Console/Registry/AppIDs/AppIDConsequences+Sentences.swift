import Domain
import Registry

extension AppIDConsequences {
    /// What goes with it, a sentence each.
    var sentences: [String] {
        var sentences: [String] = []
        if !serviceIDs.isEmpty {
            sentences.append("These Service IDs are deleted: \(Self.list(serviceIDs.map(\.rawValue))).")
        }
        if !activeKeys.isEmpty {
            sentences.append("These keys stop working: \(Self.list(activeKeys.map(\.rawValue))).")
        }
        if !appleKeys.isEmpty {
            sentences.append("These keys from Apple are forgotten: \(Self.list(appleKeys.map(\.rawValue))).")
        }
        if !groupedAppIDs.isEmpty {
            sentences.append(
                "These App IDs become primary, and their people are asked for consent again: "
                    + "\(Self.list(groupedAppIDs.map(\.rawValue)))."
            )
        }
        if people > 0 {
            let who = people == 1 ? "1 person has" : "\(people) people have"
            sentences.append("\(who) given consent; it ends.")
        }
        return sentences
    }

    private static func list(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }
}
