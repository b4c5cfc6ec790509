public import Bytes
public import Domain
public import Providers

/// Looks now and then whether Apple still describes itself as it is known here.
///
/// In June 2025 its discovery document named another issuer for a day while its tokens kept theirs, and clients that
/// followed it failed. Nothing that is seen here changes what is trusted.
public struct AppleWatch: Sendable {
    /// From one look to the next.
    public static let interval = Duration.seconds(900)

    private let apple: AppleProvider
    private let store: WatchedDocumentStore
    private let clock: @Sendable () -> Timestamp
    private let alarm: @Sendable (WatchedDocument) -> Void

    /// - Parameters:
    ///   - apple: asks.
    ///   - alarm: told of each new difference, once.
    public init(
        _ database: TeamDatabase,
        apple: AppleProvider,
        clock: @escaping @Sendable () -> Timestamp,
        alarm: @escaping @Sendable (WatchedDocument) -> Void
    ) {
        self.apple = apple
        self.clock = clock
        self.alarm = alarm
        store = WatchedDocumentStore(database)
    }

    /// - Throws: `ProviderFailure` when Apple cannot be asked, else what the database says.
    public func look() async throws {
        let publication = try await apple.publication()
        let moment = clock()
        // Which keys Apple has can be known only by asking.
        let looks: [(WatchedDocument.Name, seen: [String: String], pinned: [String: String]?)] = [
            (.discovery, publication.discovery, apple.pinnedDiscovery),
            (.keys, publication.keys, nil),
        ]
        for (name, seen, pinned) in looks {
            if let document = try await store.note(seen, as: name, pinned: pinned, at: moment) {
                alarm(document)
            }
        }
    }
}
