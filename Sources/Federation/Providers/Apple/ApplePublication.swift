public import Core

/// Snapshot of what Apple publishes: the members of its discovery document that are pinned here, and its keys.
public struct ApplePublication: Hashable, Sendable {
    /// Issuer, endpoints and algorithms, by their names in the document; a list is joined by spaces.
    public let discovery: [String: String]
    /// Type, algorithm and fingerprint of each key, by its `kid`.
    public let keys: [String: String]
    /// Apple's clock, to the second; nil if the answer has no date.
    public let clock: Timestamp?

    public init(discovery: [String: String], keys: [String: String], clock: Timestamp? = nil) {
        self.discovery = discovery
        self.keys = keys
        self.clock = clock
    }
}
