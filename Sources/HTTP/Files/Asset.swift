internal import CZlib

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
