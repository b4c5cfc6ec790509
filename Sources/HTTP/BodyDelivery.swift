internal import CMicroHTTPD
internal import EventLoop

/// One streamed body on its way to one client.
///
/// libmicrohttpd asks for octets whenever the socket takes more. While the next piece is being made its connection
/// is suspended, so nothing spins and nothing piles up. Everything happens on the loop's thread.
// @unchecked Sendable: touched on the loop's thread alone; the tasks that make pieces run there too.
@safe final class BodyDelivery: @unchecked Sendable {
    private let stream: BodyStream
    private let server: Server
    private let connection: Connection
    private var piece: [UInt8] = []
    private var offset = 0
    /// What libmicrohttpd is told in the end.
    private var end: Int?
    private var task: Task<Void, Never>?
    private var isMaking = false

    init(_ stream: BodyStream, on connection: Connection, of server: Server) {
        self.stream = stream
        self.connection = connection
        self.server = server
    }

    /// Makes the response; it holds the delivery until libmicrohttpd is done with it.
    func makeHandle() -> OpaquePointer? {
        let held = unsafe Unmanaged.passRetained(self)
        let handle = unsafe pippin_mhd_stream_response(Self.pieceSize, Self.read, held.toOpaque(), Self.free)
        if unsafe handle == nil { unsafe held.release() }
        return unsafe handle
    }

    /// Cuts the body off: the piece under way is no longer waited for.
    func cut() {
        guard end == nil else { return }
        (piece, offset, end) = ([], 0, pippin_mhd_end_with_error)
        task?.cancel()
        finishMaking()
    }

    /// Forgets the piece under way: the request has ended.
    func abandon() {
        end = end ?? pippin_mhd_end_with_error
        task?.cancel()
        task = nil
    }

    /// What is kept for it: libmicrohttpd's room for a piece, and ours.
    var octets: Int { Self.pieceSize + piece.count }

    /// Octets that libmicrohttpd asks for at a time.
    private static let pieceSize = 64 * 1024

    private static let read: MHD_ContentReaderCallback = { context, _, buffer, room in
        guard let context = unsafe context, let buffer = unsafe buffer else {
            return pippin_mhd_end_with_error
        }
        let delivery = unsafe Unmanaged<BodyDelivery>.fromOpaque(context).takeUnretainedValue()
        return unsafe delivery.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }

    private static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<BodyDelivery>.fromOpaque(context).release()
    }
}

// Pieces.
extension BodyDelivery {
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if offset == piece.count, end == nil { makeNext() }
        if isMaking { return suspend() }
        if let end, offset == piece.count {
            // libmicrohttpd tidies up a connection that was cut the next time it runs.
            if end == pippin_mhd_end_with_error { server.runNextTurn() }
            return end
        }
        let count = min(buffer.count, piece.count - offset)
        unsafe buffer.copyBytes(from: piece[offset..<(offset + count)])
        offset += count
        return count
    }

    /// A piece that is there at once costs no suspension.
    private func makeNext() {
        (piece, offset, isMaking) = ([], 0, true)
        server.hold(octets, on: connection)
        task = Task.immediate(executorPreference: server.loop) { [stream, weak self] in
            do {
                let piece = try await stream.next()
                self?.take(piece, end: piece == nil ? pippin_mhd_end_of_stream : nil)
            } catch {
                self?.take(nil, end: pippin_mhd_end_with_error)
            }
        }
    }

    private func suspend() -> Int {
        connection.enter(.production, at: server.tick)
        unsafe MHD_suspend_connection(connection.handle)
        return 0
    }

    private func take(_ piece: [UInt8]?, end: Int?) {
        guard isMaking, self.end == nil else { return }
        self.piece = piece ?? []
        self.end = end
        server.hold(octets, on: connection)
        finishMaking()
    }

    /// The client's time to take a piece begins anew with each.
    private func finishMaking() {
        isMaking = false
        let isSuspended = connection.phase == .production
        connection.enter(.delivery, at: server.tick)
        guard isSuspended else { return }
        unsafe MHD_resume_connection(connection.handle)
        server.runNextTurn()
    }
}
