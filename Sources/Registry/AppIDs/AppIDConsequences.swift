import Core
public import Platform
import Postgres

/// Objects that are deleted or changed when an App ID is deleted.
public struct AppIDConsequences: Hashable, Sendable {
    public let serviceIDs: [ClientID]
    /// Active keys; revoked keys are deleted too, but not listed.
    public let activeKeys: [KeyID]
    /// Apple keys used by its group.
    public let appleKeys: [KeyID]
    /// App IDs grouped under it: they become primary App IDs, and their users are asked for consent again.
    public let groupedAppIDs: [ClientID]
    /// Limit of `people`; one more means "more than that".
    public static let countLimit = 1000
    /// Number of users with a consent for it, at most `countLimit + 1`.
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
            "people": people > Self.countLimit ? .string("more than \(Self.countLimit)") : .integer(Int64(people)),
        ]
    }
}
