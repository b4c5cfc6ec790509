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
    /// Between two fetches, where the first one worked.
    static let floor = Duration.seconds(10)
    /// The same after one that did not.
    static let pause = Duration.seconds(1)
    /// After which the set is fetched anew, so that a key that Apple has taken away is not trusted for long.
    static let lifetime = Duration.seconds(3600)
    /// How long the set is good while Apple does not answer.
    static let patience = Duration.seconds(86_400)

    private let loop: EventLoop
    private let service: AppleService
    private let client: HTTPClient
    private let clock: @Sendable () -> Timestamp
    private var keys: JWKSet?
    private var fetchedAt: Moment?
    private var triedAt: Moment?
    private var lastFailure: ProviderFailure?
    private var fetching: Task<ProviderFailure?, Never>?

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
    /// - Parameter moment: what a set that was fetched then, or later, does not have is none of Apple's keys; until then it may
    ///   yet come.
    /// - Throws: `ProviderFailure` when Apple has no such key, or cannot be asked.
    func key(_ id: String, publishedBy moment: Timestamp) async throws(ProviderFailure) -> any VerifyingKey {
        if let key = known(id), isYounger(than: Self.patience) {
            if !isYounger(than: Self.lifetime) { refreshUnawaited() }
            return key
        }
        let failure = await refresh()
        if isYounger(than: Self.patience), let key = known(id) { return key }
        if let failure { throw failure }
        throw ProviderFailure(
            .providerKey,
            fetchedAt.map { $0.date >= moment } == true ? .anew : .again,
            because: "Apple's key set has no key \(id.cut(toOctets: 20))"
        )
    }

    /// Sees to it that a set is here that may be believed.
    ///
    /// - Throws: `ProviderFailure` when there is none, and Apple cannot be asked.
    func prepare() async throws(ProviderFailure) {
        if isYounger(than: Self.patience) {
            if !isYounger(than: Self.lifetime) { refreshUnawaited() }
        } else if let failure = await refresh() {
            throw failure
        }
    }

    private func known(_ id: String) -> (any VerifyingKey)? {
        keys?.key(id: id, algorithm: .rs256)
    }

    /// A moment by the clock on the wall, which may be set, and by the one that is not.
    private struct Moment {
        let date: Timestamp
        let ticks: Int64

        /// What has passed since then by either clock; less than nothing where the wall's was set back.
        ///
        /// Both are asked: a clock that was ahead and is set right must not make a failure rest until it has caught up.
        func age(at now: Timestamp) -> (ticks: Duration, date: Duration) {
            (.nanoseconds(MonotonicTime.now() - ticks), now - date)
        }
    }

    private var now: Moment { Moment(date: clock(), ticks: MonotonicTime.now()) }

    private func isYounger(than limit: Duration) -> Bool {
        guard let age = fetchedAt?.age(at: clock()) else { return false }
        return age.ticks < limit && age.date < limit
    }

    /// Nobody waits for a set while one is here that is good.
    private func refreshUnawaited() {
        guard fetching == nil, !isResting else { return }
        Task(executorPreference: loop) { _ = await self.refresh() }
    }

    /// Whether the last fetch began only now.
    private var isResting: Bool {
        let rest = lastFailure == nil ? Self.floor : Self.pause
        guard let age = triedAt?.age(at: clock()) else { return false }
        return age.ticks < rest && age.date < rest && age.date > Duration.zero - rest
    }

    /// Fetches the set, once for everybody who asks meanwhile, and not right after the last time; nil when it is here.
    private func refresh() async -> ProviderFailure? {
        if let fetching { return await fetching.value }
        if isResting { return lastFailure }
        triedAt = now
        let task = Task(executorPreference: loop) { await self.fetch() }
        fetching = task
        lastFailure = await task.value
        fetching = nil
        return lastFailure
    }

    /// What went wrong; nil when the set is new.
    private func fetch() async -> ProviderFailure? {
        let request = ClientRequest(
            "GET",
            service.keysURL,
            fields: [("Accept", "application/json")],
            deadline: service.patience.keys,
            bodyLimit: JWKSet.maximumCount,
            addresses: service.addresses
        )
        do throws(ClientFailure) {
            let response = try await client.send(request)
            guard response.status == 200, let set = try? JWKSet(json: response.body), !set.keys.isEmpty else {
                return AppleCalls.Reply(response, to: request, of: service)
                    .explaining(Self.failure(of: response.status))
            }
            keys = set
            fetchedAt = now
            return nil
        } catch {
            return ProviderFailure(error, to: request)
        }
    }

    private static func failure(of status: Int) -> ProviderFailure {
        let cause: RefusalCause =
            switch status {
            case 429: .providerThrottles
            case 500...: .providerTrouble
            default: .providerMalformed
            }
        return ProviderFailure(cause, .again, because: "Apple's key set cannot be read (status \(status))")
    }
}
