import Bytes
public import Domain
import Postgres

/// What deleting an App ID takes along.
public struct AppIDConsequences: Hashable, Sendable {
    public let serviceIDs: [ClientID]
    /// Keys that still sign; revoked ones go too, and nobody misses them.
    public let activeKeys: [KeyID]
    /// Keys from Apple that its group uses.
    public let appleKeys: [KeyID]
    /// App IDs grouped under it: they become primary App IDs, and their people are asked for consent again.
    public let groupedAppIDs: [ClientID]
    /// People are counted up to here; one more stands for "more than that".
    public static let countLimit = 1000
    /// How many people share something with it.
    public let people: Int

    init(_ row: inout Row) throws(PostgresFailure) {
        let serviceIDs: [String] = try row.next()
        let activeKeys: [String] = try row.next()
        let appleKeys: [String] = try row.next()
        let groupedAppIDs: [String] = try row.next()
        self.serviceIDs = serviceIDs.compactMap(ClientID.init(rawValue:))
        self.activeKeys = activeKeys.compactMap(KeyID.init(rawValue:))
        self.appleKeys = appleKeys.compactMap(KeyID.init(rawValue:))
        self.groupedAppIDs = groupedAppIDs.compactMap(ClientID.init(rawValue:))
        people = try row.next()
    }

    var auditedMembers: AuditedMembers {
        [
            "serviceIDs": .array(serviceIDs.map { .string($0.rawValue) }),
            "keys": .array(activeKeys.map { .string($0.rawValue) }),
            "appleKeys": .array(appleKeys.map { .string($0.rawValue) }),
            "groupedAppIDs": .array(groupedAppIDs.map { .string($0.rawValue) }),
            "people": people > Self.countLimit
                ? .string("more than \(Self.countLimit)") : .integer(Int64(people)),
        ]
    }
}
