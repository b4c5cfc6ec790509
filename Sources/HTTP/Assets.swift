internal import CZlib
internal import Glibc

/// The files of a folder, read once at start and served under names that contain a hash of their content.
///
/// A changed file has another name, so browsers may cache each file forever. Text is also kept compressed with gzip, by
/// the server itself, and any file with Brotli when `name.br` lies beside `name`.
public struct Assets: Sendable {
    /// Reason why a folder cannot be served.
    public enum Failure: Error, Equatable, Sendable {
        case unreadable(path: String, errno: Int32)
        /// A file name that would need escapes in a URL; letters, digits and `-._~` do not.
        case name(path: String)
        /// One of the header fields for every file cannot be sent.
        case field(String)
    }

    private let assets: [String: Asset]

    /// Reads the files below `folder`, except those whose names begin with a dot.
    ///
    /// `fields` are sent with every file; `prefix` is the path under which they are served.
    public init(folder: String, prefix: String = "/assets", fields: [HeaderField] = []) throws(Failure) {
        let files = try FileTree.read(folder)
        var assets: [String: Asset] = [:]
        for (name, content) in files where !Self.isVariant(name, in: files) {
            let brotli = files[name + "." + ContentCoding.brotli.rawValue]
            do throws(PreparedResponse.Failure) {
                assets[name] = try Asset(name: name, content: content, brotli: brotli, prefix: prefix, fields: fields)
            } catch {
                guard case .field(let name) = error else { continue }
                throw .field(name)
            }
        }
        self.assets = assets
    }

    /// The path of the file `name`, such as `pippin.css` or `icons/key.svg`; nil when there is no such file.
    public func link(_ name: String) -> String? { assets[name]?.path }

    /// The content of the file `name`; nil when there is no such file.
    public func content(_ name: String) -> [UInt8]? { assets[name]?.content }

    /// The names of all files, sorted.
    public var names: [String] { assets.keys.sorted() }

    /// Adds a route for every file.
    public func declare(in router: inout Router) {
        for name in names {
            guard let asset = assets[name] else { continue }
            router.get(Route(asset.path)) { request in asset.response(to: request) }
        }
    }

    private static func isVariant(_ name: String, in files: [String: [UInt8]]) -> Bool {
        let suffix = "." + ContentCoding.brotli.rawValue
        return name.hasSuffix(suffix) && files[String(name.dropLast(suffix.count))] != nil
    }
}

/// Reads a folder of small files into memory.
private enum FileTree {
    /// The files below `folder` by their relative paths; names that begin with a dot are skipped.
    static func read(_ folder: String) throws(Assets.Failure) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        try read(folder, below: "", into: &files, depth: 8)
        return files
    }

    private static func read(_ folder: String, below path: String, into files: inout [String: [UInt8]], depth: Int)
        throws(Assets.Failure)
    {
        guard depth > 0 else { throw .unreadable(path: folder, errno: ELOOP) }
        for name in try names(in: folder) {
            let full = folder + "/" + name
            guard name.utf8.allSatisfy(PathPattern.isPlain) else { throw .name(path: full) }
            var status = stat()
            guard unsafe stat(full, &status) == 0 else { throw .unreadable(path: full, errno: errno) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try read(full, below: path + name + "/", into: &files, depth: depth - 1)
            } else {
                files[path + name] = try content(of: full)
            }
        }
    }

    private static func names(in folder: String) throws(Assets.Failure) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw .unreadable(path: folder, errno: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func content(of path: String) throws(Assets.Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            guard count > 0 else { throw .unreadable(path: path, errno: errno) }
            content += buffer[..<count]
        }
    }
}

/// A file, prepared as a response in each of its content codings.
final class Asset: Sendable {
    /// The path, with the hash of the content.
    let path: String
    let content: [UInt8]
    private let plain: PreparedResponse
    private let codings: [(coding: ContentCoding, response: PreparedResponse)]

    init(name: String, content: [UInt8], brotli: [UInt8]?, prefix: String, fields: [HeaderField])
        throws(PreparedResponse.Failure)
    {
        self.content = content
        let type = Self.mediaType(of: name)
        path = prefix + "/" + Self.hashedName(name, Self.hash(of: content))
        var common = [
            HeaderField(.contentType, type.name), HeaderField(.cacheControl, "public, max-age=31536000, immutable"),
            HeaderField(.xContentTypeOptions, "nosniff"),
        ]
        common += fields
        let gzip = type.isText ? Self.gzipped(content) : nil
        let coded: [(ContentCoding, [UInt8]?)] = [(.brotli, brotli), (.gzip, gzip)]
        if brotli != nil || gzip != nil { common.append(HeaderField(.vary, "Accept-Encoding")) }
        plain = try PreparedResponse(Response(fields: common, body: content))
        var codings: [(ContentCoding, PreparedResponse)] = []
        for case (let coding, let body?) in coded {
            let all = common + [HeaderField(.contentEncoding, coding.rawValue)]
            codings.append((coding, try PreparedResponse(Response(fields: all, body: body))))
        }
        self.codings = codings
    }

    /// The response in the best coding the client accepts.
    func response(to request: Request) -> Response {
        let accepted = ContentCoding.accepted(by: request[.acceptEncoding])
        return Response(codings.first { accepted.contains($0.coding) }?.response ?? plain)
    }

    /// A hash that distinguishes versions of a file (FNV-1a, 64 bits); a forged collision is of no use to an attacker.
    private static func hash(of content: [UInt8]) -> String {
        RequestID(content.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }).description
    }

    /// `icons/key.svg` becomes `icons/key-<hash>.svg`.
    private static func hashedName(_ name: String, _ hash: String) -> String {
        let fileStart = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        guard let dot = name[fileStart...].firstIndex(of: ".") else { return "\(name)-\(hash)" }
        return "\(name[..<dot])-\(hash)\(name[dot...])"
    }

    private static func gzipped(_ content: [UInt8]) -> [UInt8]? {
        let capacity = content.count
        guard capacity > 0 else { return nil }
        let coded = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            guard let start = target.baseAddress else { return }
            count = unsafe content.withUnsafeBytes { source in
                unsafe pippin_gzip(source.baseAddress, source.count, start, capacity)
            }
        }
        return coded.isEmpty ? nil : coded
    }

    private static func mediaType(of name: String) -> (name: String, isText: Bool) {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return switch ending {
        case "css": ("text/css; charset=utf-8", true)
        case "js", "mjs": ("text/javascript; charset=utf-8", true)
        case "svg": ("image/svg+xml", true)
        case "txt": ("text/plain; charset=utf-8", true)
        case "json": ("application/json", true)
        case "webmanifest": ("application/manifest+json", true)
        case "png": ("image/png", false)
        case "jpg", "jpeg": ("image/jpeg", false)
        case "webp": ("image/webp", false)
        case "ico": ("image/x-icon", false)
        case "woff2": ("font/woff2", false)
        default: ("application/octet-stream", false)
        }
    }
}
