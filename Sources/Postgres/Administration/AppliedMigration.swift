/// A row of `pippin_migrations`.
struct AppliedMigration: Equatable {
    let number: Int
    let name: String
    let checksum: String

    /// Creates an applied migration from the columns of `selection`; nil if they are malformed.
    init?(_ row: [String?]) {
        guard row.count == 3, let number = row[0].flatMap({ Int($0) }), let name = row[1], let checksum = row[2] else {
            return nil
        }
        self.number = number
        self.name = name
        self.checksum = checksum
    }

    static let table = """
        CREATE TABLE IF NOT EXISTS pippin_migrations (
            number integer PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
    static let presence = "SELECT to_regclass('pippin_migrations') IS NOT NULL"
    static let selection = "SELECT number, name, checksum FROM pippin_migrations ORDER BY number"
    /// Computes the SHA-256 of a file's text on the server.
    static let checksum = "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')"
    /// Inserts a row; its values are number, name and the file's text.
    static let insertion = """
        INSERT INTO pippin_migrations (number, name, checksum)
        VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
        """
}
