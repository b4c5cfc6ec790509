import Glibc

/// Finds `Message("key", …)` in Swift sources.
enum MessageScan {
    struct Found {
        let key: String
        /// Every `"name":` inside the call, and `count` where it is given.
        let arguments: Set<String>
    }

    static func messages(in source: String) -> [Found] {
        calls("Message(", in: source).compactMap { call in
            guard let quote = call.first(where: { $0 > 0x20 }), quote == UInt8(ascii: "\"") else { return nil }
            let strings = literals(in: call)
            guard let key = strings.first?.text else { return nil }
            var arguments = Set(strings.filter(\.isName).map(\.text))
            if String(decoding: call, as: UTF8.self).contains("count:") { arguments.insert("count") }
            return Found(key: key, arguments: arguments)
        }
    }

    /// The families of `Message(in: "family", name)`, and of those that call it: `BadgeView`, `Input.Kind.choices`, and
    /// `SettingWords`.
    static func families(in source: String) -> [String] {
        let badges = calls("BadgeView(", in: source).map { String(decoding: $0, as: UTF8.self) + ")" }
        return literals(after: "Message(in: ", in: source) + literals(after: ".choices(in: ", in: source)
            + literals(after: "SettingWords(", in: source) + badges.flatMap { literals(after: "in: ", in: $0) }
    }

    /// The families of `UserFacingError(status, "family")`.
    static func problems(in source: String) -> [String] {
        calls("UserFacingError(", in: source).compactMap { call in
            guard !String(decoding: call, as: UTF8.self).contains("Message(") else { return nil }
            return literals(in: call).first?.text
        }.filter { $0.contains(".") && !$0.contains(" ") }
    }

    /// The literal that each call begins with, where it begins with one.
    static func literals(after opening: String, in source: String) -> [String] {
        calls(opening, in: source).compactMap { call in
            let start = call.drop { $0 <= 0x20 }
            return start.first == UInt8(ascii: "\"") ? literals(in: start).first?.text : nil
        }
    }

    /// What stands in the parentheses of every call.
    private static func calls(_ opening: String, in source: String) -> [ArraySlice<UInt8>] {
        let (bytes, opening) = (Array(source.utf8), Array(opening.utf8))
        var found: [ArraySlice<UInt8>] = []
        var start = 0
        while let index = first(opening, in: bytes, from: start) {
            start = index + opening.count
            found.append(bytes[start..<end(of: bytes, from: start)])
        }
        return found
    }

    private static func first(_ opening: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var start = start
            while start + opening.count <= bytes.count,
                let found = unsafe memchr(base + start, Int32(opening[0]), bytes.count - opening.count - start + 1)
            {
                if unsafe memcmp(found, opening, opening.count) == 0 { return unsafe UnsafeRawPointer(found) - base }
                start = unsafe UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }

    static func withoutComments(_ source: String) -> String {
        source.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    /// Where the parenthesis that was opened before `start` closes; text in quotes is not looked into.
    private static func end(of bytes: [UInt8], from start: Int) -> Int {
        var (depth, index, isQuoted) = (1, start, false)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted:
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return index
    }

    /// The literals in a call, and whether a colon follows each.
    private static func literals(in call: ArraySlice<UInt8>) -> [(text: String, isName: Bool)] {
        let parts = call.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let isName = index + 1 < parts.count && parts[index + 1].first == UInt8(ascii: ":")
            return (String(decoding: parts[index], as: UTF8.self), isName)
        }
    }
}

/// The Swift files of a folder.
enum SwiftSources {
    static func read(below folder: String) -> [String] {
        entries(of: folder).flatMap { name -> [String] in
            let path = folder + "/" + name
            if name.hasSuffix(".swift") { return text(of: path).map { [$0] } ?? [] }
            return name.contains(".") ? [] : read(below: path)
        }
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = unsafe UnsafeRawPointer(entry) + offset
            names.append(unsafe String(cString: start.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    static func text(of path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
