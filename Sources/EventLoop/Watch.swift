import CLinux
import Glibc

/// The registration of one descriptor with a loop's epoll instance.
///
/// Must be used on the loop's thread only; the caller keeps it in order to change or cancel it.
public final class Watch {
    let descriptor: Int32
    let handler: (EventLoop.Readiness) -> Void
    var token: UInt64 = 0
    private let epoll: Int32
    // Unowned, because a weak reference slows every retain of the loop. A watch belongs to a loop that runs.
    private unowned let loop: EventLoop
    private var isActive = false

    init(descriptor: Int32, epoll: Int32, loop: EventLoop, handler: @escaping (EventLoop.Readiness) -> Void) {
        self.descriptor = descriptor
        self.epoll = epoll
        self.loop = loop
        self.handler = handler
    }

    /// Changes the events to wait for.
    public func change(to interest: EventLoop.Readiness) {
        guard isActive else { return }
        pippin_epoll_change(epoll, descriptor, interest.rawValue, token)
    }

    /// Ends the registration; must be called before the descriptor is closed.
    ///
    /// Further calls do nothing.
    public func cancel() {
        guard isActive else { return }
        isActive = false
        pippin_epoll_remove(epoll, descriptor)
        loop.forget(self)
    }

    func register(_ interest: EventLoop.Readiness) throws(EventLoop.Failure) {
        guard pippin_epoll_add(epoll, descriptor, interest.rawValue, token) == 0 else {
            throw .system(call: "epoll_ctl", errno: errno)
        }
        isActive = true
    }
}

/// The watches of a loop by token.
///
/// Tokens are never reused, so an event that was already fetched when its watch was cancelled finds no watch.
struct WatchTable {
    static let wakeupToken: UInt64 = 0

    private var watches: [UInt64: Watch] = [:]
    private var lastToken: UInt64 = Self.wakeupToken

    mutating func insert(_ watch: Watch) -> UInt64 {
        lastToken += 1
        watches[lastToken] = watch
        return lastToken
    }

    mutating func remove(_ token: UInt64) { watches[token] = nil }

    subscript(token: UInt64) -> Watch? { watches[token] }
}
