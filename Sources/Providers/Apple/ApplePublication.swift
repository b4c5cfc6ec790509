public import Bytes

/// What Apple publishes of itself at one moment: the members of its discovery document that are pinned here, and its
/// keys.
public struct ApplePublication: Hashable, Sendable {
    /// Issuer, endpoints and algorithms, by their names in the document; a list is joined by spaces.
    public let discovery: [String: String]
    /// What each key is, by its `kid`.
    public let keys: [String: String]
    /// Apple's clock, to the second; nil where the answer has none.
    public let clock: Timestamp?

    public init(discovery: [String: String], keys: [String: String], clock: Timestamp? = nil) {
        self.discovery = discovery
        self.keys = keys
        self.clock = clock
    }
}
