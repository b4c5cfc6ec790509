import Glibc
import HTTP

/// The requests under way on one loop, where the supervisor finds them when the worker has died: id, method and the
/// pattern of the route, nothing of what was sent.
// @unchecked Sendable: written by its loop alone, read when that is gone.
@safe final class RequestBoard: @unchecked Sendable {
    /// A request that was under way.
    struct Entry: Equatable {
        let id: RequestID
        let method: Method
        /// The pattern of its route, cut where it is very long; empty where none was found.
        let route: String
    }

    private static let slots = 512
    /// Of a slot: the id, the method, the length of the pattern, and the pattern.
    private static let stride = 128
    private static let patternPlace = 10
    /// How many places an id may stand at; with all of them taken the request is not noted.
    private static let places = 8
    static let size = slots * stride

    private let base: UnsafeMutableRawPointer
    private let page: SharedPage

    init(at base: UnsafeMutableRawPointer, keeping page: SharedPage) {
        unsafe self.base = base
        self.page = page
    }

    /// Notes a request; called on the loop when its head is there.
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

    /// Forgets a request; called on the loop when it has ended.
    func leave(_ id: RequestID) {
        unsafe slot(of: id.value, for: id)?.storeBytes(of: 0, as: UInt64.self)
    }

    /// What was not ended.
    var entries: [Entry] {
        (0..<Self.slots).compactMap { index in
            let slot = unsafe base + index * Self.stride
            let id = unsafe slot.load(as: UInt64.self)
            guard id != 0 else { return nil }
            let method = unsafe Method(rawValue: slot.load(fromByteOffset: 8, as: UInt8.self)) ?? .other
            let count = unsafe Int(slot.load(fromByteOffset: 9, as: UInt8.self))
            // A copy: a text is looked at more than once, and another process may still write.
            let text = unsafe Array(
                UnsafeRawBufferPointer(
                    start: slot + Self.patternPlace,
                    count: min(count, Self.stride - Self.patternPlace)
                )
            )
            return Entry(id: RequestID(id), method: method, route: String(decoding: text, as: UTF8.self))
        }
    }

    /// The slot that holds `value`, zero being a free one: ids are spread evenly, so the first place will mostly do.
    private func slot(of value: UInt64, for id: RequestID) -> UnsafeMutableRawPointer? {
        for step in 0..<UInt64(Self.places) {
            let index = Int((id.value &+ step) % UInt64(Self.slots))
            let slot = unsafe base + index * Self.stride
            if unsafe slot.load(as: UInt64.self) == value { return unsafe slot }
        }
        return nil
    }
}
