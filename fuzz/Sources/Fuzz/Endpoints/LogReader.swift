import Core
import Synchronization

/// Reads every line that the product logs, to find secrets in the log and to record which routes were reached.
final class LogReader: Sendable {
    private struct State {
        var reached: Set<String> = []
        var known: Set<String> = []
        var leaks: [String] = []
        var causes: [String] = []
        var secrets: [String] = []
    }

    private let state = Mutex(State())

    var log: Log { Log(threshold: .debug) { [self] line in read(line) } }

    /// Values that no line may contain.
    var secrets: [String] {
        get { state.withLock { $0.secrets } }
        set { state.withLock { $0.secrets = newValue.filter { $0.utf8.count >= 12 } } }
    }

    var routes: (reached: Set<String>, known: Set<String>) { state.withLock { ($0.reached, $0.known) } }

    /// Lines with a secret since the last call.
    func takeLeaks() -> [String] {
        state.withLock { state in
            defer { state.leaks = [] };
            return state.leaks
        }
    }

    /// Log lines of failed requests since the last call.
    func takeCauses() -> [String] {
        state.withLock { state in
            defer { state.causes = [] };
            return state.causes
        }
    }

    private func read(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        let json = try? JSON.decode(JSONValue.self, from: line)
        state.withLock { state in
            if state.secrets.contains(where: { text.utf8.firstRange(of: $0.utf8) != nil }) { state.leaks.append(text) }
            switch json?["event"]?.string {
            case "route": _ = json?["address"]?.string.map { state.known.insert($0) }
            case "request":
                let method = json?["method"]?.string ?? ""
                state.reached.insert("\(method == "HEAD" ? "GET" : method) \(json?["route"]?.string ?? "")")
            case "request.failed": state.causes.append(text)
            default: break
            }
        }
    }
}

extension Collection where Element: Equatable {
    fileprivate func firstRange(of other: some Collection<Element>) -> Range<Index>? {
        guard let first = other.first else { return nil }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            var (mine, theirs) = (found, other.startIndex)
            while mine != endIndex, theirs != other.endIndex, self[mine] == other[theirs] {
                (mine, theirs) = (index(after: mine), other.index(after: theirs))
            }
            if theirs == other.endIndex { return found..<mine }
            start = index(after: found)
        }
        return nil
    }
}
