import Glibc

/// Location of a private cluster: its data, its log and its socket.
struct ClusterLocation: Sendable {
    /// The folder around the cluster; it belongs to the user of this process, its contents to the database user.
    let home: String
    /// Names of the data and the log in it.
    let dataName = "postgres"
    let logName = "postgres.log"
    var data: String { home + "/" + dataName }
    var log: String { home + "/" + logName }
    /// In a data folder: the number of the place outside it that has the data.
    var mark: String { home + "/cluster-id" }
    /// Work folder of `initdb`, so that `data` is either complete or absent.
    var unfinished: String { home + "/postgres.new" }

    /// Version of PostgreSQL that wrote the data; nil if there are none yet.
    var version: Int? {
        let text = (try? File.readOfAnother(data + "/PG_VERSION")).map { String(decoding: $0, as: UTF8.self) }
        return text.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The folder of the socket; a short one if the socket's path is longer than 107 bytes or has a comma, which
    /// unix(7) and libpq's `host` do not allow.
    var socketFolder: String {
        let inside = home + "/socket"
        let isUsable = inside.utf8.count + "/.s.PGSQL.5432".utf8.count <= 107 && !inside.contains(",")
        return isUsable ? inside : shortSocketFolder
    }

    /// Only root can create files in /run; elsewhere `DatabaseUser.own` rejects a folder of another user.
    var shortSocketFolder: String { (geteuid() == 0 ? "/run" : "/tmp") + "/pippin-" + Self.digest(of: home) }

    /// The data folder itself, or a folder in /var/lib/pippin if the database user cannot enter the data folder.
    ///
    /// The choice is stored in the data folder as a random number, generated once: deleting the folder also abandons
    /// the cluster.
    static func choose(for directory: DataDirectory, _ user: DatabaseUser, report: (String) -> Void)
        throws(ClusterFailure) -> ClusterLocation
    {
        let inside = ClusterLocation(home: directory.path)
        let mark = inside.mark
        if !File.exists(mark) {
            if user.canEnter(directory.path) { return inside }
            guard !File.exists(inside.data) else { throw .unreachable(path: inside.data, user: user.name) }
        }
        let outside = try outside(directory, mark: mark)
        report("The user \(user.name) cannot enter \(directory.path): the database lies in \(outside.home).")
        return outside
    }

    private static func outside(_ directory: DataDirectory, mark: String) throws(ClusterFailure) -> ClusterLocation {
        try ClusterFailure.mapping { () throws(FileFailure) in
            if !File.exists(mark) { try File.write(String(UInt64.random(in: .min ... .max), radix: 16), to: mark) }
            let number = String(decoding: try File.read(mark), as: UTF8.self)
            let home = "/var/lib/pippin/" + digest(of: directory.path + "\n" + number)
            try Folder.make("/var/lib/pippin", mode: 0o711)
            // For an administrator: the data folder that this database belongs to.
            if try Folder.make(home, mode: 0o711) { try File.write(directory.path + "\n", to: home + "/belongs-to") }
            return ClusterLocation(home: home)
        }
    }

    /// FNV-1a of 64 bits: enough to distinguish a few folders, and not a secret.
    private static func digest(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
