internal import CCurl
import EventLoop
internal import Glibc

/// Queue of calls by owner: the calls of one owner, however many, leave places for another's.
///
/// Used on the loop's thread only.
final class CallQueue {
    /// Called with nil when the call gets its place, or with the reason why it gets none.
    typealias Done = (ClientFailure?) -> Void

    private struct Waiting {
        let timer: Timer
        let done: Done
    }

    private let loop: EventLoop
    private let places: Int
    private var taken = 0
    /// Calls that gave up stay in the queue until they are at the head of their owner's line.
    private var work: FairQueue<UInt64>
    private var waiting: [UInt64: Waiting] = [:]

    /// - Parameters:
    ///   - places: the maximum number of calls that run at a time.
    ///   - limit: the maximum number of calls that wait for a place.
    init(on loop: EventLoop, places: Int, waiting limit: Int) {
        self.loop = loop
        self.places = max(1, places)
        work = FairQueue(limit: limit)
    }

    /// Maximum number of places for one owner.
    private var share: Int { max(1, places * 3 / 4) }

    /// Takes a place for a call of `owner`, at once or in turn; `leave` releases it.
    ///
    /// - Parameter timeout: how long the call may wait; after that it fails with `deadlinePassed`, as it also does when
    ///   the queue has no room for it.
    func enter(_ id: UInt64, of owner: String, within timeout: Duration, _ done: @escaping Done) {
        if taken < places, work.load(owner) < share {
            taken += 1
            work.begin(of: owner)
            return done(nil)
        }
        let timer = loop.schedule(after: timeout) { [weak self] in self?.giveUp(id, as: .deadlinePassed) }
        waiting[id] = Waiting(timer: timer, done: done)
        switch work.append(id, of: owner) {
        case .accepted: break
        case .displacing(let other): giveUp(other, as: .deadlinePassed)
        case .refused: giveUp(id, as: .deadlinePassed)
        }
    }

    /// Releases the place of a call of `owner`, and gives free places to waiting calls.
    func leave(_ owner: String) {
        taken -= 1
        work.end(of: owner)
        while taken < places, let next = work.popFirst(upTo: share) {
            guard let call = waiting.removeValue(forKey: next.element) else {
                work.end(of: next.owner)
                continue
            }
            taken += 1
            call.timer.cancel()
            call.done(nil)
        }
    }

    /// Ends the wait of a call with `failure`; a call that does not wait is left alone.
    func giveUp(_ id: UInt64, as failure: ClientFailure) {
        guard let call = waiting.removeValue(forKey: id) else { return }
        call.timer.cancel()
        _ = work.remove { waiting[$0] == nil }
        call.done(failure)
    }

    /// Cancels all waiting calls, because the client is closed.
    func close() { for id in waiting.keys.sorted() { giveUp(id, as: .cancelled) } }
}

/// The callbacks of libcurl, called from within calls that the client makes on its loop's thread.
///
/// A transfer's pointer is valid as long as its easy handle, which the transfer owns.
enum CurlCallbacks {
    static let body: curl_write_callback = { start, _, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        return unsafe transfer.takeBody(UnsafeRawBufferPointer(start: start, count: count)) ? count : 0
    }

    static let field: curl_write_callback = { start, _, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        return unsafe transfer.takeField(UnsafeRawBufferPointer(start: start, count: count)) ? count : 0
    }

    /// Copies as much of the upload as there is room for; zero octets end the upload.
    static let upload: curl_read_callback = { start, size, count, context in
        guard let transfer = unsafe transfer(context), let start = unsafe start else { return 0 }
        return unsafe transfer.giveUpload(UnsafeMutableRawBufferPointer(start: start, count: size * count))
    }

    /// Opens the socket for an address, or rejects the address before anything is sent to it.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let transfer = unsafe transfer(context), let address = unsafe address else { return -1 }
        let family = unsafe address.pointee.family
        let name = unsafe UnsafeRawPointer(address).advanced(by: MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 16)
        guard unsafe transfer.allows(PeerAddress(name, family: family)) else { return -1 }
        let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let made = unsafe transfer.openSocket(family, type, address.pointee.protocol)
        if made < 0 { transfer.noteMissingSocket(errno) }
        return made
    }

    /// Checks the connection about to be used, because it may have been opened for a request with a wider policy.
    static let connected: curl_prereq_callback = { context, address, _, _, _ in
        guard let transfer = unsafe transfer(context), let address = unsafe address else {
            return CURL_PREREQFUNC_ABORT
        }
        let peer = unsafe PeerAddress(String(cString: address))
        return transfer.allows(peer) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let socketChanged: curl_socket_callback = { _, socket, what, context, _ in
        unsafe client(context)?.watch(socket, for: what)
        return 0
    }

    static let timerChanged: curl_multi_timer_callback = { _, milliseconds, context in
        unsafe client(context)?.setTimer(milliseconds)
        return 0
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func client(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
        unsafe context.map { unsafe Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
    }
}
