import Glibc
import Registry

/// The folders that a running Pippin reads: templates, texts, public files, migrations.
struct Resources: Sendable {
    let folder: String

    var templates: String { folder + "/Templates" }
    var texts: String { folder + "/Texts" }
    var publicFiles: String { folder + "/Public" }
    var migrations: String { folder + "/migrations" }

    /// The chosen folder, else the one beside the binary, else the checkout in which the binary was built.
    static func find(_ chosen: String?) -> Resources? {
        let candidates = chosen.map { [$0] } ?? nearBinary()
        return candidates.map(Resources.init(folder:)).first(where: \.isComplete)
    }

    private var isComplete: Bool {
        [templates, texts, publicFiles, migrations].allSatisfy { (path: String) in unsafe access(path, R_OK | X_OK) == 0
        }
    }

    /// The binary's folder and those above it, because a checkout keeps the binary some levels below `.build`.
    private static func nearBinary() -> [String] {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return [] }
        defer { unsafe free(path) }
        var folder = unsafe String(cString: path)
        var folders: [String] = []
        while let slash = folder.lastIndex(of: "/"), folders.count < 6 {
            folder = String(folder[..<slash])
            folders.append(folder)
        }
        return folders
    }
}
