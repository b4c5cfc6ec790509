import CLinux
import Glibc

/// A thread of the operating system that runs one closure and can be waited for.
// @unchecked Sendable: the handle is written once before the value is shared.
final class LoopThread: @unchecked Sendable {
    private var handle: pthread_t = 0

    private final class Box {
        let name: String
        let body: () -> Void

        init(_ name: String, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    static func start(
        name: String,
        _ body: @escaping () -> Void
    ) throws(EventLoop.Failure) -> LoopThread {
        let thread = LoopThread()
        // Retained here, released by the thread when it has taken the box.
        let box = unsafe Unmanaged.passRetained(Box(name, body)).toOpaque()
        let result = unsafe pthread_create(&thread.handle, nil, Self.enter, box)
        guard result == 0 else {
            unsafe Unmanaged<Box>.fromOpaque(box).release()
            throw .system(call: "pthread_create", errno: result)
        }
        return thread
    }

    func join() {
        pthread_join(handle, nil)
    }

    private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let pointer = unsafe $0 else { return nil }
        let box = unsafe Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
        unsafe pippin_name_thread(box.name)
        let signalStack = unsafe pippin_signal_stack()
        defer { unsafe pippin_drop_signal_stack(signalStack) }
        box.body()
        return nil
    }
}
