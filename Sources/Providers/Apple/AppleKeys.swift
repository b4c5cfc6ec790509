import AuthEngine
public import Bytes
import Crypto
public import EventLoop
public import HTTPClient

/// The keys that Apple signs with, kept for the teams that one loop serves.
///
/// A key is chosen by its `kid` (Apple, "Fetch Apple's public key for verifying token signature"): several live at once,
/// and they change without notice. An unknown one is looked for again, though not more often than the floor, so that
/// forged tokens cannot make us ask Apple all day.
// @unchecked Sendable: touched on its loop's thread alone.
public final class AppleKeys: @unchecked Sendable {
    /// Between two fetches.
    static let floor = Duration.seconds(10)
    /// After which a key that Apple has taken away is not trusted any more.
    static let lifetime = Duration.seconds(3600)
    private static let deadline = Duration.seconds(5)

    private let loop: EventLoop
    private let service: AppleService
    private let client: HTTPClient
    private let clock: @Sendable () -> Timestamp
    private var keys: JWKSet?
    private var fetchedAt: Timestamp?
    private var triedAt: Timestamp?
    private var fetching: Task<Result<Void, ProviderFailure>, Never>?

    /// - Parameter loop: the client's.
    public init(
        of service: AppleService,
        on loop: EventLoop,
        client: HTTPClient,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.loop = loop
        self.service = service
        self.client = client
        self.clock = clock
    }

    /// The key of that name.
    ///
    /// - Throws: `ProviderFailure` when Apple has no such key, or cannot be asked.
    func key(_ id: String) async throws(ProviderFailure) -> any VerifyingKey {
        let isFresh = fetchedAt.map { clock() - $0 < Self.lifetime } ?? false
        if isFresh, let key = known(id) { return key }
        try await refresh(isUrgent: !isFresh)
        guard let key = known(id) else {
            throw ProviderFailure(
                .providerKey,
                .again,
                because: "Apple's key set has no key \(id.prefix(20))"
            )
        }
        return key
    }

    private func known(_ id: String) -> (any VerifyingKey)? {
        keys?.key(id: id, algorithm: .rs256)
    }

    /// Fetches the set, once for everybody who asks meanwhile; what is known stays when Apple does not answer.
    private func refresh(isUrgent: Bool) async throws(ProviderFailure) {
        if let fetching {
            try await fetching.value.get()
            return
        }
        if !isUrgent, let triedAt, clock() - triedAt < Self.floor { return }
        triedAt = clock()
        let task = Task(executorPreference: loop) { await self.fetch() }
        fetching = task
        let result = await task.value
        fetching = nil
        if case .failure(let failure) = result, keys == nil || isUrgent { throw failure }
    }

    private func fetch() async -> Result<Void, ProviderFailure> {
        let request = ClientRequest(
            "GET",
            service.keysURL,
            fields: [("Accept", "application/json")],
            deadline: Self.deadline,
            bodyLimit: JWKSet.maximumCount,
            addresses: service.addresses
        )
        do throws(ClientFailure) {
            let response = try await client.send(request)
            guard response.status == 200, let set = try? JWKSet(json: response.body), !set.keys.isEmpty else {
                let reason = "Apple's key set cannot be read (status \(response.status))"
                return .failure(ProviderFailure(.providerTrouble, .again, because: reason))
            }
            keys = set
            fetchedAt = clock()
            return .success(())
        } catch {
            return .failure(ProviderFailure(error, .again))
        }
    }
}
