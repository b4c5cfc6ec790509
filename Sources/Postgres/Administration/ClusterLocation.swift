import Glibc

/// Where a private cluster lies: its data, its log and its socket.
struct ClusterLocation: Sendable {
    /// The folder around the cluster; it belongs to us, what is in it to the database user.
    let home: String

    var data: String { home + "/postgres" }
    var log: String { home + "/postgres.log" }
    /// `initdb` works here, so that `data` is either whole or absent.
    var unfinished: String { home + "/postgres.new" }

    /// The version of PostgreSQL that wrote the data; nil when there are none yet.
    var version: Int? {
        let text = (try? File.readOfAnother(data + "/PG_VERSION")).map { String(decoding: $0, as: UTF8.self) }
        return text.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The folder of the socket: a path longer than 107 bytes, or with a comma, cannot be a socket's (unix(7),
    /// libpq's `host`), and a short one takes its place.
    var socketFolder: String {
        let inside = home + "/socket"
        let isUsable = inside.utf8.count + "/.s.PGSQL.5432".utf8.count <= 107 && !inside.contains(",")
        return isUsable ? inside : shortSocketFolder
    }

    /// Only root can plant something in /run; elsewhere `DatabaseUser.own` refuses what was planted.
    var shortSocketFolder: String {
        (geteuid() == 0 ? "/run" : "/tmp") + "/pippin-" + Self.digest(of: home)
    }

    /// The data folder itself, or a place of our own where the database user cannot enter it.
    ///
    /// The choice is remembered in the data folder by a number drawn once: when the folder is thrown away the
    /// cluster is forgotten with it.
    static func choose(
        for directory: DataDirectory,
        _ user: DatabaseUser,
        report: (String) -> Void
    ) throws(ClusterFailure) -> ClusterLocation {
        let inside = ClusterLocation(home: directory.path)
        let mark = directory.path + "/cluster-id"
        if !File.exists(mark) {
            if user.canEnter(directory.path) { return inside }
            guard !File.exists(inside.data) else { throw .unreachable(path: inside.data, user: user.name) }
        }
        let outside = try outside(directory, mark: mark)
        report("The user \(user.name) cannot enter \(directory.path): the database lies in \(outside.home).")
        return outside
    }

    private static func outside(
        _ directory: DataDirectory,
        mark: String
    ) throws(ClusterFailure) -> ClusterLocation {
        try ClusterFailure.mapping { () throws(FileFailure) in
            if !File.exists(mark) {
                try File.write(String(UInt64.random(in: .min ... .max), radix: 16), to: mark)
            }
            let number = String(decoding: try File.read(mark), as: UTF8.self)
            let home = "/var/lib/pippin/" + digest(of: directory.path + "\n" + number)
            try Folder.make("/var/lib/pippin", mode: 0o711)
            // Says to a person whose database this is.
            if try Folder.make(home, mode: 0o711) {
                try File.write(directory.path + "\n", to: home + "/belongs-to")
            }
            return ClusterLocation(home: home)
        }
    }

    /// FNV-1a of 64 bits: enough to tell a few folders apart, and no secret.
    private static func digest(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
