import Glibc

/// Runs a command line of the shell; its output.
public func shell(_ command: String) throws -> String {
    guard let stream = unsafe popen(command, "r") else { throw NeverHappened(description: command) }
    defer { unsafe pclose(stream) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = unsafe fread(&buffer, 1, buffer.count, stream)
        if count == 0 { return String(decoding: output, as: UTF8.self) }
        output += buffer[..<count]
    }
}
