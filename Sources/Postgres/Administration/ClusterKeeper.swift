import Glibc

/// Has the server of a private cluster started again when it has died.
///
/// A death is met at once, further ones ever later: a server that does not stay up is not hurried. Nothing here waits
/// for the server to accept connections, so that a stop never waits for a start.
struct ClusterKeeper: ~Copyable {
    /// A server that ran for so long had started well, whatever ended it.
    private static let steady = Duration.seconds(60)
    private static let memoryPause = Duration.milliseconds(100)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)

    private let server: ClusterServer
    private let startLock: FileLock
    private var child: ClusterServer.Child?
    /// The server that runs, as far as is known; nil while none does.
    private var run: Run?
    /// Since when sessions of a server that died have kept the next one from starting.
    private var heldUpSince: ContinuousClock.Instant?
    /// How often in a row the server did not start, or not for long.
    private var failures = 0
    private var nextStart: ContinuousClock.Instant?
    private var isEnding = false

    private struct Run {
        /// Nil where it ended before anybody saw it.
        let process: pid_t?
        let since: ContinuousClock.Instant
    }

    /// - Parameters:
    ///   - server: runs and accepts connections.
    ///   - child: the server, where this process started it.
    ///   - startLock: held by whoever starts the server, until it is known by its lock file.
    init(of server: ClusterServer, _ child: ClusterServer.Child?, startLock: FileLock) {
        self.server = server
        self.child = child
        self.startLock = startLock
        run = Run(process: server.process, since: .now)
    }

    /// Starts the server unless it runs, is being started, or died too recently; returns what is new.
    mutating func look(at now: ContinuousClock.Instant) -> [ClusterEvent] {
        guard !isEnding else { return [] }
        switch server.standing {
        case .running(let postmaster): return noteRunning(postmaster.process, at: now)
        // What cannot be looked at is not dead.
        case .unknown: return []
        case .absent: break
        }
        if let child, !Subprocess.hasEnded(child.process) { return [] }
        let death = noteDeath(at: now)
        guard nextStart ?? now <= now, startLock.take(.exclusive) else { return death }
        return death + start(at: now)
    }

    /// Nothing is started any more.
    ///
    /// Others who use the cluster wait for a server of ours that is being started, until this process has ended.
    mutating func leave() {
        isEnding = true
    }

    /// What was started and is not known yet by its lock file ends.
    func end(within limit: Duration) {
        if let child, !server.isListed { server.end(child, within: limit) }
        startLock.release()
    }

    private mutating func noteRunning(_ process: pid_t, at now: ContinuousClock.Instant) -> [ClusterEvent] {
        if let run, run.process == process {
            if now - run.since >= Self.steady { failures = 0 }
            return []
        }
        // Another process may have been faster than our looks.
        let death: [ClusterEvent] = run == nil ? [] : [.died]
        if run != nil { pause(from: now) }
        if let child, child.process != process, Subprocess.hasEnded(child.process) { self.child = nil }
        (run, heldUpSince) = (Run(process: process, since: now), nil)
        startLock.release()
        return death + [.started]
    }

    /// What became of the server that ran, or was being started.
    private mutating func noteDeath(at now: ContinuousClock.Instant) -> [ClusterEvent] {
        defer { (child, run) = (nil, nil) }
        if run != nil {
            pause(from: now)
            return [.died]
        }
        guard let child else { return [] }
        startLock.release()
        let failure = server.failure(of: child)
        if failure.isHeldUp, now - (heldUpSince ?? now) < server.settings.sessionLimit {
            heldUpSince = heldUpSince ?? now
            nextStart = now + Self.memoryPause
            return []
        }
        pause(from: now)
        return [.notStarted(failure)]
    }

    private mutating func start(at now: ContinuousClock.Instant) -> [ClusterEvent] {
        // Another process may have started it meanwhile.
        if let process = server.process { return noteRunning(process, at: now) }
        do throws(ClusterFailure) {
            child = try server.spawn()
            return []
        } catch {
            startLock.release()
            pause(from: now)
            return [.notStarted(error)]
        }
    }

    /// The first time none, then twice as long each time.
    private mutating func pause(from now: ContinuousClock.Instant) {
        defer { failures += 1 }
        guard failures > 0 else { return nextStart = now }
        let doublings = min(failures - 1, 10)
        nextStart = now + min(Self.firstPause * (1 << doublings), Self.longestPause)
    }
}

/// What happened to the server of a private cluster.
public enum ClusterEvent: Equatable, Sendable {
    /// It ended, and nobody had asked it to.
    case died
    /// It runs again; it may have to recover before it accepts connections.
    case started
    /// It could not be started, or ended while starting.
    case notStarted(ClusterFailure)
}
