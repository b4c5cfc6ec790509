import EventLoop

/// A pause of one task that other tasks on its loop can end early.
final class LoopPause {
    private let loop: EventLoop
    private var resume: (() -> Void)?
    private var isOver = false

    init(on loop: EventLoop) { self.loop = loop }

    /// Waits for `duration` or until `end` is called; returns at once when that happened before.
    func wait(for duration: Duration) async {
        guard !isOver else {
            isOver = false
            return
        }
        await unsafe withUnsafeContinuation { continuation in
            let timer = loop.schedule(after: duration) { [weak self] in
                self?.resume = nil
                unsafe continuation.resume()
            }
            resume = {
                timer.cancel()
                unsafe continuation.resume()
            }
        }
    }

    func end() {
        guard let resume else {
            isOver = true
            return
        }
        self.resume = nil
        resume()
    }
}
