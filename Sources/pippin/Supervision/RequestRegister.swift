import Glibc
import HTTP

/// The requests under way on one loop, in memory that the supervisor reads after the worker's death.
///
/// It contains ID, method and route pattern of each, and no data that the client sent.
// @unchecked Sendable: written only by its loop, and read after that has ended.
@safe final class RequestRegister: @unchecked Sendable {
    /// A request that was under way.
    struct Entry: Equatable {
        let id: RequestID
        let method: Method
        /// Pattern of the route, truncated if it is very long; empty if no route matched.
        let route: String
    }

    private static let slots = 512
    /// Octets of a slot: ID, method, length of the pattern, and the pattern.
    private static let stride = 128
    private static let patternPlace = 10
    /// Number of slots in which an ID may be stored; if all are taken, the request is not recorded.
    private static let places = 8
    static let size = slots * stride

    private let base: UnsafeMutableRawPointer
    private let page: SharedPage

    init(at base: UnsafeMutableRawPointer, keeping page: SharedPage) {
        unsafe self.base = base
        self.page = page
    }

    /// Records a request; called on the loop when the head of the request has arrived.
    func enter(_ request: Request) {
        guard let slot = unsafe slot(of: 0, for: request.id) else { return }
        var pattern = request.routePattern ?? ""
        let count = pattern.withUTF8 { octets in
            let count = min(octets.count, Self.stride - Self.patternPlace)
            if let start = octets.baseAddress {
                unsafe (slot + Self.patternPlace).copyMemory(from: start, byteCount: count)
            }
            return count
        }
        unsafe slot.storeBytes(of: request.method.rawValue, toByteOffset: 8, as: UInt8.self)
        unsafe slot.storeBytes(of: UInt8(count), toByteOffset: 9, as: UInt8.self)
        unsafe slot.storeBytes(of: request.id.value, as: UInt64.self)
    }

    /// Removes a request; called on the loop when it has ended.
    func leave(_ id: RequestID) { unsafe slot(of: id.value, for: id)?.storeBytes(of: 0, as: UInt64.self) }

    /// The requests that have not ended.
    var entries: [Entry] {
        (0..<Self.slots).compactMap { index in
            let slot = unsafe base + index * Self.stride
            let id = unsafe slot.load(as: UInt64.self)
            guard id != 0 else { return nil }
            let method = unsafe Method(rawValue: slot.load(fromByteOffset: 8, as: UInt8.self)) ?? .other
            let count = unsafe Int(slot.load(fromByteOffset: 9, as: UInt8.self))
            // A copy, because decoding reads the text more than once and another process may still write.
            let text = unsafe Array(
                UnsafeRawBufferPointer(
                    start: slot + Self.patternPlace, count: min(count, Self.stride - Self.patternPlace)))
            return Entry(id: RequestID(id), method: method, route: String(decoding: text, as: UTF8.self))
        }
    }

    /// The slot that contains `value`, or a free one for zero; IDs are evenly distributed, so the first mostly matches.
    private func slot(of value: UInt64, for id: RequestID) -> UnsafeMutableRawPointer? {
        for step in 0..<UInt64(Self.places) {
            let index = Int((id.value &+ step) % UInt64(Self.slots))
            let slot = unsafe base + index * Self.stride
            if unsafe slot.load(as: UInt64.self) == value { return unsafe slot }
        }
        return nil
    }
}
