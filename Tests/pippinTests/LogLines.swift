import Core
import Synchronization

/// What the product logs: its route table, the routes that were reached, and why requests failed.
final class LogLines: Sendable {
    private struct State {
        var known: [String] = []
        var reached: Set<String> = []
        var causes: [String] = []
        var ended: [(route: String, status: Int)] = []
        var lines: [String] = []
    }

    private let state = Mutex(State())

    var log: Log { Log(threshold: .debug) { [self] line in read(line) } }

    /// Every address of the product behind its method, as it was declared.
    var routes: [String] { state.withLock { $0.known } }

    /// Every line, as it was written.
    var lines: [String] { state.withLock { $0.lines } }

    /// Those whose handlers were asked, or that refused a request by its head or body.
    var reached: Set<String> { state.withLock { $0.reached } }

    /// The statuses of all requests to a pattern, in the order they ended.
    func requests(of pattern: String) -> [Int] {
        state.withLock { $0.ended.filter { $0.route == pattern }.map(\.status) }
    }

    /// Why requests failed since the last look.
    func takeCauses() -> [String] {
        state.withLock { state in
            defer { state.causes = [] }
            return state.causes
        }
    }

    private func read(_ line: [UInt8]) {
        let json = try? JSON.decode(JSONValue.self, from: line)
        state.withLock { state in
            state.lines.append(String(decoding: line, as: UTF8.self))
            switch json?["event"]?.string {
            case "route": json?["address"]?.string.map { state.known.append($0) }
            case "request":
                let route = json?["route"]?.string ?? ""
                state.reached.insert("\(json?["method"]?.string ?? "") \(route)")
                state.ended.append((route, json?["status"]?.string.flatMap { Int($0) } ?? 0))
            case "request.failed": state.causes.append(String(decoding: line, as: UTF8.self))
            default: break
            }
        }
    }
}
