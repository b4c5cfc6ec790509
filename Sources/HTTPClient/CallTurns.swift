import EventLoop

/// Turns of those who have calls made: the calls of one, however many, leave places for another's.
///
/// Belongs to the loop's thread.
final class CallTurns {
    /// Hears nil once it is its turn, or why there will be none.
    typealias Done = (ClientFailure?) -> Void

    private struct Waiting {
        let timer: Timer
        let done: Done
    }

    private let loop: EventLoop
    private let places: Int
    private var taken = 0
    /// Calls that gave up stay in line until they come to its head.
    private var work: FairQueue<UInt64>
    private var waiting: [UInt64: Waiting] = [:]

    /// - Parameters:
    ///   - places: how many calls are under way at a time.
    ///   - limit: how many calls may wait for a place.
    init(on loop: EventLoop, places: Int, waiting limit: Int) {
        self.loop = loop
        self.places = max(1, places)
        work = FairQueue(limit: limit)
    }

    /// How many places one owner may have.
    private var share: Int { max(1, places * 3 / 4) }

    /// Takes a place for a call of `owner`, at once or when it is its turn; it is given back by `leave`.
    ///
    /// - Parameter patience: how long the call may wait; after that it fails as one whose deadline has passed. So does one
    ///   for which there is no room to wait.
    func enter(_ id: UInt64, of owner: String, within patience: Duration, _ done: @escaping Done) {
        if taken < places, work.load(owner) < share {
            taken += 1
            work.begin(of: owner)
            return done(nil)
        }
        let timer = loop.schedule(after: patience) { [weak self] in
            self?.giveUp(id, as: .deadlinePassed)
        }
        waiting[id] = Waiting(timer: timer, done: done)
        switch work.append(id, of: owner) {
        case .accepted: break
        case .displacing(let other): giveUp(other, as: .deadlinePassed)
        case .refused: giveUp(id, as: .deadlinePassed)
        }
    }

    /// Gives back the place of a call of `owner`.
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

    /// Ends the wait of a call; one that does not wait is left alone.
    func giveUp(_ id: UInt64, as failure: ClientFailure) {
        guard let call = waiting.removeValue(forKey: id) else { return }
        call.timer.cancel()
        _ = work.remove { waiting[$0] == nil }
        call.done(failure)
    }

    /// Ends the wait of all, as the client is closed.
    func close() {
        for id in waiting.keys.sorted() { giveUp(id, as: .cancelled) }
    }
}
