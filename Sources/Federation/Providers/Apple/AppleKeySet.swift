public import Core
import Crypto
public import EventLoop
public import HTTP
import OAuth

/// Apple's signing keys, cached for the teams that one event loop serves.
///
/// A key is selected by its `kid` (Apple, "Fetch Apple's public key for verifying token signature"): several are valid
/// at once, and they change without notice. The set is fetched again for an unknown one, but not more often than
/// `floor`, so that forged tokens cannot cause constant requests to Apple.
// @unchecked Sendable: accessed only on its loop's thread.
public final class AppleKeySet: @unchecked Sendable {
    /// Minimum time between two fetches after one that succeeded.
    static let floor = Duration.seconds(10)
    /// Minimum time between two fetches after one that failed.
    static let pause = Duration.seconds(1)
    /// Longest time for which the publication of a set waits for the first fetch after a start.
    static let firstWait = Duration.seconds(1)
    /// Age at which a set that is published here is fetched again.
    static let freshness = Duration.seconds(300)
    /// Age at which the set is fetched again, so that a key that Apple has removed is not trusted for long.
    static let lifetime = Duration.seconds(3600)
    /// Maximum age of a usable set while Apple does not answer.
    static let maximumAge = Duration.seconds(86_400)

    private let loop: EventLoop
    private let service: AppleService
    private let client: HTTPClient
    private let clock: @Sendable () -> Timestamp
    private var keys: JWKSet?
    private var fetchedAt: Moment?
    private var triedAt: Moment?
    private var lastFailure: UpstreamFailure?
    private var fetching: Task<UpstreamFailure?, Never>?

    /// - Parameter loop: the event loop of `client`.
    public init(
        of service: AppleService, on loop: EventLoop, client: HTTPClient, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.loop = loop
        self.service = service
        self.client = client
        self.clock = clock
    }

    /// Returns the key with the given `kid`.
    ///
    /// - Parameter moment: time by which Apple has published the key: if it is missing in a set fetched later, it is
    ///   not one of Apple's keys; until then it may still appear.
    /// - Throws: `UpstreamFailure` if Apple has no such key, or cannot be asked.
    func key(_ id: String, publishedBy moment: Timestamp) async throws(UpstreamFailure) -> any VerifyingKey {
        if let key = known(id), isYounger(than: Self.maximumAge) {
            if !isYounger(than: Self.lifetime) { refreshUnawaited() }
            return key
        }
        let failure = await refresh()
        if isYounger(than: Self.maximumAge), let key = known(id) { return key }
        if let failure { throw failure }
        throw UpstreamFailure(
            .upstreamKey, fetchedAt.map { $0.date >= moment } == true ? .anew : .again,
            because: "Apple's key set has no key \(id.cut(toOctets: 20))")
    }

    /// Ensures that a usable set is cached.
    ///
    /// - Throws: `UpstreamFailure` if there is none, and Apple cannot be asked.
    func prepare() async throws(UpstreamFailure) {
        if isYounger(than: Self.maximumAge) {
            if !isYounger(than: Self.lifetime) { refreshUnawaited() }
        } else if let failure = await refresh() {
            throw failure
        }
    }

    /// Waits until the first fetch is over, at most `firstWait`; does nothing once there are keys.
    func waitForFirst() async {
        guard keys == nil else { return }
        let isOver = Flag()
        await withCheckedContinuation { continuation in
            let resume: @Sendable () -> Void = { if isOver.set() { continuation.resume() } }
            loop.schedule(after: Self.firstWait, resume)
            Task(executorPreference: loop) {
                _ = await self.refresh()
                resume()
            }
        }
    }

    /// The keys that were fetched last, however long ago; none before the first fetch.
    ///
    /// Never waits: a set that is not fresh is fetched again in the background.
    var lastKnown: [JWK] {
        if !isYounger(than: Self.freshness) { refreshUnawaited() }
        return keys?.keys ?? []
    }

    private func known(_ id: String) -> (any VerifyingKey)? { keys?.key(id: id, algorithm: .rs256) }

    /// Moment by the wall clock, which may be set, and by the monotonic clock.
    private struct Moment {
        let date: Timestamp
        let ticks: Int64

        /// Time passed since then by either clock; negative if the wall clock was set back.
        ///
        /// Both are used, because a clock that was ahead and is corrected must not prolong the pause after a failure.
        func age(at now: Timestamp) -> (ticks: Duration, date: Duration) {
            (.nanoseconds(MonotonicTime.now() - ticks), now - date)
        }
    }

    private var now: Moment { Moment(date: clock(), ticks: MonotonicTime.now()) }

    private func isYounger(than limit: Duration) -> Bool {
        guard let age = fetchedAt?.age(at: clock()) else { return false }
        return age.ticks < limit && age.date < limit
    }

    /// Starts a refresh without waiting for it.
    private func refreshUnawaited() {
        guard fetching == nil, !isResting else { return }
        Task(executorPreference: loop) { _ = await self.refresh() }
    }

    /// Whether the last fetch began too recently for another one.
    private var isResting: Bool {
        let rest = lastFailure == nil ? Self.floor : Self.pause
        guard let age = triedAt?.age(at: clock()) else { return false }
        return age.ticks < rest && age.date < rest && age.date > Duration.zero - rest
    }

    /// Fetches the set, once for all concurrent callers and not right after the last fetch; returns nil on success.
    private func refresh() async -> UpstreamFailure? {
        if let fetching { return await fetching.value }
        if isResting { return lastFailure }
        triedAt = now
        let task = Task(executorPreference: loop) { await self.fetch() }
        fetching = task
        lastFailure = await task.value
        fetching = nil
        return lastFailure
    }

    /// Fetches the set; returns the failure, or nil on success.
    private func fetch() async -> UpstreamFailure? {
        let request = ClientRequest(
            "GET", service.keysURL, fields: [("Accept", "application/json")], deadline: service.timeouts.keys,
            bodyLimit: JWKSet.maximumCount, addresses: service.addresses)
        do throws(ClientFailure) {
            let response = try await client.send(request)
            guard response.status == 200, let set = try? JWKSet(json: response.body), !set.keys.isEmpty else {
                return AppleCalls.Reply(response: response, request: request, service: service).explaining(
                    Self.failure(of: response.status))
            }
            keys = set
            fetchedAt = now
            return nil
        } catch { return UpstreamFailure(error, to: request) }
    }

    private static func failure(of status: Int) -> UpstreamFailure {
        let cause: RefusalCause =
            switch status {
            case 429: .upstreamThrottles
            case 500...: .upstreamTrouble
            default: .upstreamMalformed
            }
        return UpstreamFailure(cause, .again, because: "Apple's key set cannot be read (status \(status))")
    }
}
