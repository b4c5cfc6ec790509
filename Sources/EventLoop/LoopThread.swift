import CLinux
import Glibc

/// An operating system thread that runs one closure and can be joined.
// @unchecked Sendable: the handle is written once before the value is shared.
final class LoopThread: @unchecked Sendable {
    private var handle: pthread_t = 0

    private final class Box {
        let name: String
        let priority: BlockingPool.Priority
        let body: () -> Void

        init(_ name: String, _ priority: BlockingPool.Priority, _ body: @escaping () -> Void) {
            self.name = name
            self.priority = priority
            self.body = body
        }
    }

    static func start(name: String, priority: BlockingPool.Priority = .normal, _ body: @escaping () -> Void)
        throws(EventLoop.Failure) -> LoopThread
    {
        let thread = LoopThread()
        // Retained here; the thread takes over the reference.
        let box = unsafe Unmanaged.passRetained(Box(name, priority, body)).toOpaque()
        let result = unsafe pthread_create(&thread.handle, nil, Self.enter, box)
        guard result == 0 else {
            unsafe Unmanaged<Box>.fromOpaque(box).release()
            throw .system(call: "pthread_create", errno: result)
        }
        return thread
    }

    func join() { pthread_join(handle, nil) }

    /// Detaches the thread, so that its resources are freed when it ends.
    func detach() { pthread_detach(handle) }

    private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let pointer = unsafe $0 else { return nil }
        let box = unsafe Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
        unsafe pippin_name_thread(box.name)
        // Linux keeps a priority for each thread, and 0 means the calling one (setpriority(2)).
        if box.priority == .low { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
        let signalStack = unsafe pippin_signal_stack()
        defer { unsafe pippin_drop_signal_stack(signalStack) }
        box.body()
        return nil
    }
}
