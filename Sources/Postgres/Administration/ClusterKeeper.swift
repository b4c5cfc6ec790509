import Glibc

/// Restarts the server of a private cluster when it has died.
///
/// The first restart is immediate, further ones are increasingly delayed. Nothing here waits for the server to accept
/// connections, so that a stop never waits for a start.
struct ClusterKeeper: ~Copyable {
    /// Run time after which a server has started well, whatever ends it later.
    private static let steady = Duration.seconds(60)
    private static let memoryPause = Duration.milliseconds(100)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)

    private let server: ClusterServer
    private let startLock: FileLock
    private var child: ClusterServer.Child?
    /// The running server, as far as known; nil while none runs.
    private var run: Run?
    /// Time since which sessions of a dead server have prevented the next start.
    private var heldUpSince: ContinuousClock.Instant?
    /// Consecutive starts that failed, or after which the server did not run for long.
    private var failures = 0
    private var nextStart: ContinuousClock.Instant?
    private var isEnding = false

    private struct Run {
        /// Nil if the server ended before its process id was read.
        let process: pid_t?
        let since: ContinuousClock.Instant
    }

    /// - Parameters:
    ///   - server: a server that runs and accepts connections.
    ///   - child: the server process, if this process started it.
    ///   - startLock: held while a process starts the server, until the server's lock file names it.
    init(of server: ClusterServer, _ child: ClusterServer.Child?, startLock: FileLock) {
        self.server = server
        self.child = child
        self.startLock = startLock
        run = Run(process: server.process, since: .now)
    }

    /// Starts the server unless it runs, is starting, or died too recently; returns the new events.
    mutating func look(at now: ContinuousClock.Instant) -> [ClusterEvent] {
        guard !isEnding else { return [] }
        switch server.status {
        case .running(let postmaster): return noteRunning(postmaster.process, at: now)
        // A server whose status cannot be read is not assumed dead.
        case .unknown: return []
        case .absent: break
        }
        if let child, !Subprocess.hasEnded(child.process) { return [] }
        let death = noteDeath(at: now)
        guard nextStart ?? now <= now, startLock.take(.exclusive) else { return death }
        return death + start(at: now)
    }

    /// Prevents further starts.
    ///
    /// Other processes that use the cluster wait for a server that this one is starting, until this one has ended.
    mutating func leave() { isEnding = true }

    /// Ends a started server that its lock file does not name yet, and releases the start lock.
    func end(within limit: Duration) {
        if let child, !server.isListed { server.end(child, within: limit) }
        startLock.release()
    }

    private mutating func noteRunning(_ process: pid_t, at now: ContinuousClock.Instant) -> [ClusterEvent] {
        if let run, run.process == process {
            if now - run.since >= Self.steady { failures = 0 }
            return []
        }
        // Another process may have restarted the server between two calls of `look`.
        let death: [ClusterEvent] = run == nil ? [] : [.died]
        if run != nil { pause(from: now) }
        if let child, child.process != process, Subprocess.hasEnded(child.process) { self.child = nil }
        (run, heldUpSince) = (Run(process: process, since: now), nil)
        startLock.release()
        return death + [.started]
    }

    /// Records that the server that ran, or was starting, has ended; returns the new events.
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

    /// Sets the time of the next start: at once the first time, then with a pause that doubles each time.
    private mutating func pause(from now: ContinuousClock.Instant) {
        defer { failures += 1 }
        guard failures > 0 else { return nextStart = now }
        let doublings = min(failures - 1, 10)
        nextStart = now + min(Self.firstPause * (1 << doublings), Self.longestPause)
    }
}

/// Change in the state of a private cluster's server.
public enum ClusterEvent: Equatable, Sendable {
    /// The server ended without a request to stop.
    case died
    /// The server runs again; it may have to recover before it accepts connections.
    case started
    /// The server could not be started, or ended while starting.
    case notStarted(ClusterFailure)
}
