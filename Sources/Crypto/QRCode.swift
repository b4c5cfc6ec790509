// QRCode: a text as a QR code.
//
// Owns: every call into libqrencode and the drawing of its result as an SVG path.
// Must not know: the meaning of the text, the HTML around the drawing.
// Standards: ISO/IEC 18004 (QR code), SVG 2 section 9.3 (path data).

internal import CQREncode

/// A QR code: a square of light and dark modules.
public struct QRCode: Sendable {
    /// Width of the quiet zone around the code, in modules (ISO/IEC 18004 section 6.3.8).
    public static let margin = 4

    /// Number of modules per side.
    public let size: Int
    private let modules: [Bool]

    /// Encodes `text`; nil if it is empty, longer than 1,024 octets, too long for a QR code, or contains NUL.
    ///
    /// Uses error correction level M, because a code on a screen is damaged less than one on a parcel.
    public init?(_ text: String) {
        guard !text.utf8.isEmpty, text.utf8.count <= 1024, !text.utf8.contains(0) else { return nil }
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        size = unsafe Int(code.pointee.width)
        // The lowest bit of each octet is the module; the other bits describe its function.
        let octets = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size)
        modules = unsafe octets.map { $0 & 1 == 1 }
    }

    /// Whether the module in the given column and row is dark; all modules outside the code are light.
    public func isDark(_ column: Int, _ row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return modules[row * size + column]
    }

    /// Number of modules per side including the quiet zone, for `viewBox`.
    public var outerSize: Int { size + 2 * Self.margin }

    /// The dark modules as the `d` of an SVG path, one rectangle per run in a row, offset by the quiet zone.
    public var svgPath: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(column, row) { column += 1 }
                if column > start {
                    let run = column - start
                    path += "M\(start + Self.margin) \(row + Self.margin)h\(run)v1h-\(run)z"
                }
                column += 1
            }
        }
        return path
    }
}
