import CFuzzer
import Glibc

// One program fuzzes everything that reads outside input: FUZZ names the target. A trap, a hang or a failed expectation
// ends the program with the input that caused it.

/// Called by libFuzzer once, before it reads a corpus.
@_cdecl("LLVMFuzzerInitialize") public func fuzzInitialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    _ = unsafe target
    return 0
}

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe target.take(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Called by libFuzzer to derive a new input from an existing one.
@_cdecl("LLVMFuzzerCustomMutator") public func fuzzMutate(
    _ octets: UnsafeMutablePointer<UInt8>?, _ count: Int, _ room: Int, _ seed: CUnsignedInt
) -> Int {
    guard let octets = unsafe octets else { return 0 }
    guard let mutator = unsafe target.mutator else { return unsafe LLVMFuzzerMutate(octets, count, room) }
    let input = unsafe Array(UnsafeBufferPointer(start: octets, count: count))
    let mutated = mutator.mutate(input, room: room, seed: UInt64(seed))
    _ = unsafe UnsafeMutableBufferPointer(start: octets, count: mutated.count).update(fromContentsOf: mutated)
    return mutated.count
}

/// Consumer of inputs.
struct FuzzTarget {
    let take: ([UInt8]) -> Void
    /// Derives new inputs; nil to use libFuzzer's mutations, which work on octets.
    var mutator: Mutator?
}

/// The target that FUZZ names.
///
/// Initialized before the first input, on libFuzzer's only thread.
nonisolated(unsafe) private let target: FuzzTarget = {
    let name = Environment.value("FUZZ") ?? ""
    if let parser = Parsers.all[name] { return FuzzTarget(take: parser) }
    if let group = EndpointGroup(rawValue: name) { return Endpoints.target(group) }
    let names = Parsers.all.keys.sorted() + EndpointGroup.allCases.map(\.rawValue)
    fatalError("FUZZ=\(name) is none of \(names.joined(separator: " "))")
}()

/// Environment of the process.
enum Environment {
    static func value(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}

/// Ends the process with the current input if an expectation fails.
func expect(_ promise: Bool, _ what: @autoclosure () -> String = "", file: StaticString = #fileID, line: Int = #line) {
    if !promise { fatalError("broken promise in \(file):\(line): \(what())") }
}
