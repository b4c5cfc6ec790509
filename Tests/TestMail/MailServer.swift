// TestMail: a mail server for tests.
//
// Owns: just enough of SMTP to be talked to by libcurl, answers right and wrong.
// Must not know: what mail says.

import Glibc
import Synchronization
import TestSockets

/// A small mail server for one test: it takes connections until it is closed, answers as it is told, and keeps what
/// it was given.
public final class MailServer: Sendable {
    /// What it answers to a command, instead of the usual.
    public struct Manners: Sendable {
        public var answers: [String: String]
        /// What EHLO offers beside the name.
        public var extensions: [String]
        /// The command after which it says nothing more: a verb, `.` for the end of a message, or empty for the greeting.
        public var silentAt: String?

        public init(answers: [String: String] = [:], extensions: [String] = ["8BITMIME"], silentAt: String? = nil) {
            self.answers = answers
            self.extensions = extensions
            self.silentAt = silentAt
        }
    }

    public struct Received: Sendable {
        public fileprivate(set) var commands: [String] = []
        /// Of all messages, one after the other.
        public fileprivate(set) var message = ""
        /// Whether it has become silent, and was left waiting no longer.
        public fileprivate(set) var isSilent = false, isLeft = false
    }

    public let port: UInt16
    private let listener: Int32
    private let manners: Manners
    private let state = Mutex(Received())

    public var received: Received { state.withLock { $0 } }

    public init(_ manners: Manners = Manners()) {
        self.manners = manners
        let server = LoopbackListener(backlog: 16)
        listener = server.socket
        port = server.port
    }

    /// Serves connections one after the other; call it on a thread of its own.
    public func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            serve(connection)
            Glibc.close(connection)
        }
    }

    /// Ends `serve`.
    public func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    private func serve(_ connection: Int32) {
        var lines = Lines(connection)
        if manners.silentAt == "" { return beSilent(&lines) }
        say(manners.answers[""] ?? "220 mail.test ESMTP", to: connection)
        while let line = lines.next() {
            state.withLock { $0.commands.append(line) }
            let verb = String(line.prefix { $0 != " " && $0 != ":" }).uppercased()
            if manners.silentAt == verb { return beSilent(&lines) }
            if let answer = manners.answers[verb] {
                say(answer, to: connection)
                continue
            }
            switch verb {
            case "EHLO":
                let names = ["mail.test"] + manners.extensions
                for name in names.dropLast() { say("250-\(name)", to: connection) }
                say("250 \(names[names.count - 1])", to: connection)
            case "DATA":
                say("354 go on", to: connection)
                takeMessage(&lines)
                if manners.silentAt == "." { return beSilent(&lines) }
                say(manners.answers["."] ?? "250 2.0.0 taken", to: connection)
            case "AUTH":
                say("334 ", to: connection)
                if let password = lines.next() { state.withLock { $0.commands.append(password) } }
                say("235 2.7.0 welcome", to: connection)
            case "QUIT":
                say("221 bye", to: connection)
                return
            default: say("250 2.1.0 fine", to: connection)
            }
        }
    }

    private func beSilent(_ lines: inout Lines) {
        state.withLock { $0.isSilent = true }
        while lines.next() != nil {}
        state.withLock { $0.isLeft = true }
    }

    private func takeMessage(_ lines: inout Lines) {
        while let line = lines.next(), line != "." {
            state.withLock { $0.message += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\r\n" }
        }
    }

    private func say(_ line: String, to connection: Int32) {
        let bytes = Array((line + "\r\n").utf8)
        _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// The lines that come over a connection.
private struct Lines {
    private let connection: Int32
    private var rest: [UInt8] = []

    init(_ connection: Int32) { self.connection = connection }

    mutating func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[..<end].filter { $0 != UInt8(ascii: "\r") }
                rest.removeFirst(end + 1)
                return String(decoding: line, as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            rest += chunk[..<count]
        }
    }
}
