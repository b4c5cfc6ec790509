import EventLoop

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
