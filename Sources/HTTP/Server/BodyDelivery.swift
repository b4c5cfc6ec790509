internal import CMicroHTTPD
internal import EventLoop

/// Delivery of one streamed response body to one client.
///
/// libmicrohttpd requests octets whenever the socket accepts more. While the next piece is produced, the connection is
/// suspended, so there is no busy loop and no queue of pieces. Used on the loop's thread only.
// @unchecked Sendable: used on the loop's thread only; the tasks that produce pieces run there too.
@safe final class BodyDelivery: @unchecked Sendable {
    private let stream: BodyStream
    private let server: Server
    private let connection: Connection
    private var piece: [UInt8] = []
    private var offset = 0
    /// The value that ends the body for libmicrohttpd, end of stream or error; nil before the end.
    private var end: Int?
    private var task: Task<Void, Never>?
    private var isMaking = false

    init(_ stream: BodyStream, on connection: Connection, of server: Server) {
        self.stream = stream
        self.connection = connection
        self.server = server
    }

    /// Creates the libmicrohttpd response, which retains the delivery until libmicrohttpd frees it; nil on failure.
    func makeHandle() -> OpaquePointer? {
        let held = unsafe Unmanaged.passRetained(self)
        let handle = unsafe pippin_mhd_stream_response(Self.pieceSize, Self.read, held.toOpaque(), Self.free)
        if unsafe handle == nil { unsafe held.release() }
        return unsafe handle
    }

    /// Ends the body with an error and cancels the piece being produced.
    func cut() {
        guard end == nil else { return }
        (piece, offset, end) = ([], 0, pippin_mhd_end_with_error)
        task?.cancel()
        finishMaking()
    }

    /// Cancels the piece being produced, because the request has ended.
    func abandon() {
        end = end ?? pippin_mhd_end_with_error
        task?.cancel()
        task = nil
    }

    /// Octets held in memory for the delivery: libmicrohttpd's buffer and the current piece.
    var octets: Int { Self.pieceSize + piece.count }

    /// Size of libmicrohttpd's buffer in octets, the most it requests at a time.
    private static let pieceSize = 64 * 1024

    private static let read: MHD_ContentReaderCallback = { context, _, buffer, room in
        guard let context = unsafe context, let buffer = unsafe buffer else { return pippin_mhd_end_with_error }
        let delivery = unsafe Unmanaged<BodyDelivery>.fromOpaque(context).takeUnretainedValue()
        return unsafe delivery.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }

    private static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<BodyDelivery>.fromOpaque(context).release()
    }
}

// Production of pieces.
extension BodyDelivery {
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if offset == piece.count, end == nil { makeNext() }
        if isMaking { return suspend() }
        if let end, offset == piece.count {
            // libmicrohttpd closes a connection whose body ended with an error only when it runs next.
            if end == pippin_mhd_end_with_error { server.runNextTurn() }
            return end
        }
        let count = min(buffer.count, piece.count - offset)
        unsafe buffer.copyBytes(from: piece[offset..<(offset + count)])
        offset += count
        return count
    }

    /// Requests the next piece from the stream; a piece that is ready at once causes no suspension.
    private func makeNext() {
        (piece, offset, isMaking) = ([], 0, true)
        server.setInDelivery(octets, on: connection)
        task = Task.immediate(executorPreference: server.loop) { [stream, weak self] in
            do {
                let piece = try await stream.next()
                self?.take(piece, end: piece == nil ? pippin_mhd_end_of_stream : nil)
            } catch { self?.take(nil, end: pippin_mhd_end_with_error) }
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
        server.setInDelivery(octets, on: connection)
        finishMaking()
    }

    /// Resumes the connection and restarts its send timeout, which applies to each piece.
    private func finishMaking() {
        isMaking = false
        let isSuspended = connection.phase == .production
        connection.enter(.delivery, at: server.tick)
        guard isSuspended else { return }
        unsafe MHD_resume_connection(connection.handle)
        server.runNextTurn()
    }
}

/// A response body produced while it is sent: whatever its length, one piece of it is in memory.
///
/// The next piece is requested once the client has received the one before. When the client disconnects, no more pieces
/// are requested and the current one is cancelled. An error closes the connection, so that the client detects the
/// incomplete body.
public struct BodyStream: Sendable {
    private let make: @Sendable () async throws -> [UInt8]?

    /// - Parameter next: produces the next piece on the server's loop; nil ends the body.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { make = next }

    /// The next piece that is not empty, or nil at the end.
    func next() async throws -> [UInt8]? {
        while let piece = try await make() { if !piece.isEmpty { return piece } }
        return nil
    }
}

/// Octets of responses that the clients of one loop have yet to receive, and the budget for all of them.
final class DeliveryBudget {
    private let limit: Int
    private let inFlight: InFlight
    private(set) var octets = 0
    /// Number of responses, and of pieces of them, so far.
    private var count = 0
    /// Octets as last reported to the count of all loops.
    private var reported = 0

    init(_ limit: Int, reportingTo inFlight: InFlight) {
        self.limit = limit
        self.inFlight = inFlight
    }

    /// Sets the octets of a connection's response that its client has yet to receive.
    ///
    /// When all of them exceed the budget, closes the connections whose clients have received nothing for longest, never
    /// this one.
    ///
    /// - Returns: whether it has closed any.
    func set(_ octets: Int, on connection: Connection, among connections: [Connection]) -> Bool {
        guard !connection.isAborted || octets == 0 else { return false }
        move(connection, to: octets)
        return octets > 0 && self.octets > limit && closeUnread(of: connections, besides: connection)
    }

    private func move(_ connection: Connection, to octets: Int) {
        self.octets += octets - connection.inDelivery
        connection.inDelivery = octets
        count += 1
        connection.deliveryNumber = count
    }

    /// Frees an eighth of the budget more than needed, because a call examines every connection and so must be rare.
    private func closeUnread(of connections: [Connection], besides latest: Connection) -> Bool {
        let unread = connections.filter { $0.inDelivery > 0 && $0 !== latest }
        var closed = 0
        for connection in unread.sorted(by: { $0.deliveryNumber < $1.deliveryNumber }) {
            guard octets > limit / 8 * 7 else { break }
            move(connection, to: 0)
            connection.delivery?.cut()
            connection.abort()
            closed += 1
        }
        guard closed > 0 else { return false }
        inFlight.note { $0.answersGivenUp += closed }
        return true
    }

    /// Reports this loop's octets to the count of all loops, once per sweep so that a request costs nothing.
    func report() {
        guard octets != reported else { return }
        inFlight.note { $0.inDelivery += octets - reported }
        reported = octets
    }
}
