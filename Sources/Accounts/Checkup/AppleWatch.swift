public import Core
public import Federation
public import Platform

/// Periodic comparison of Apple's discovery document and keys with the known ones.
///
/// In June 2025 the document named another issuer for a day while tokens kept the old one, and clients that followed
/// the document failed. The comparison never changes what Pippin trusts.
public struct AppleWatch: Sendable {
    /// Time between two comparisons.
    public static let interval = Duration.seconds(900)

    private let apple: AppleProvider
    private let store: WatchedDocumentStore
    private let clock: @Sendable () -> Timestamp
    private let alarm: @Sendable (WatchedDocument) -> Void

    /// - Parameters:
    ///   - apple: the provider that requests the documents.
    ///   - alarm: called once for each new difference.
    public init(
        _ database: TeamDatabase, apple: AppleProvider, clock: @escaping @Sendable () -> Timestamp,
        alarm: @escaping @Sendable (WatchedDocument) -> Void
    ) {
        self.apple = apple
        self.clock = clock
        self.alarm = alarm
        store = WatchedDocumentStore(database)
    }

    /// - Throws: `UpstreamFailure` when Apple's documents cannot be read, else the database's error.
    public func check() async throws {
        let publication = try await apple.publication()
        let moment = clock()
        // Apple's keys are not pinned, because they are known only from its key set.
        let looks: [(WatchedDocument.Name, seen: [String: String], pinned: [String: String]?)] = [
            (.discovery, publication.discovery, apple.pinnedDiscovery), (.keys, publication.keys, nil),
        ]
        for (name, seen, pinned) in looks {
            if let document = try await store.note(seen, as: name, pinned: pinned, at: moment) { alarm(document) }
        }
    }
}
