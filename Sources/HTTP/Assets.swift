internal import Glibc

/// The files of a folder, read once at start and served under names that carry a hash of their content.
///
/// A changed file has another name, so browsers may keep what they have for ever. Text is kept compressed as
/// well: with gzip by the server itself, with Brotli where `name.br` lies beside `name`.
public struct Assets: Sendable {
    /// Why the folder cannot be served.
    public enum Failure: Error, Equatable, Sendable {
        case unreadable(path: String, errno: Int32)
        /// A name that would have to be escaped in an address; letters, digits and `-._~` need not.
        case name(path: String)
        /// One of the fields to be sent with every file cannot be sent.
        case field(String)
    }

    private let assets: [String: Asset]

    /// Reads the files below `folder`, without those whose names begin with a dot.
    ///
    /// `fields` are sent with every one of them; `prefix` is the path they are served under.
    public init(
        folder: String,
        prefix: String = "/assets",
        fields: [HeaderField] = []
    ) throws(Failure) {
        let files = try FileTree.read(folder)
        var assets: [String: Asset] = [:]
        for (name, content) in files where !Self.isVariant(name, in: files) {
            let brotli = files[name + "." + ContentCoding.brotli.rawValue]
            do throws(PreparedResponse.Failure) {
                assets[name] = try Asset(
                    name: name,
                    content: content,
                    brotli: brotli,
                    prefix: prefix,
                    fields: fields
                )
            } catch {
                guard case .field(let name) = error else { continue }
                throw .field(name)
            }
        }
        self.assets = assets
    }

    /// The address of the file `name`, as `pippin.css` or `icons/key.svg`; nil when there is none.
    public func link(_ name: String) -> String? {
        assets[name]?.path
    }

    /// The names of all files, in order.
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
