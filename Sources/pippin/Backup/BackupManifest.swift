import Core

/// What a backup says of itself, in its file `manifest.json`.
struct BackupManifest: Codable, Sendable {
    static let format = 1

    struct Migration: Codable, Sendable {
        let number: Int
        let name: String
        let checksum: String
    }

    var format = Self.format
    /// Version of Pippin.
    let pippin: String
    /// Major versions of the server and of the programs that dumped it.
    var postgres: Int
    var programs: Int
    /// Public URL of the installation; nil if no server has run within a day, and from a release without it.
    var publicURL: String?
    /// Time of the snapshot, in seconds since 1970.
    let takenAt: Int
    var migrations: [Migration]
    /// IDs of the master keys, each with a value that only this key opens; never a key.
    let keys: [String: String]
    /// The end of each team's audit log, as POSITION:CODE.
    let heads: [String: String]
    /// Other roles that have rights on a table, a column, a sequence or a function.
    let roles: [String]
    /// Rows of each table and partition in the dump.
    var rows: [String: Int]

    /// How long ago the snapshot was taken.
    var age: Duration { Timestamp.now() - Timestamp(seconds: takenAt) }

    /// What it is, for a line of output.
    var summary: String {
        let (count, minutes) = (rows.values.reduce(0, +), age.components.seconds / 60)
        return "backup of \(Timestamp(seconds: takenAt)), \(minutes / 60) h \(minutes % 60) min ago, \(count) rows"
    }
}
