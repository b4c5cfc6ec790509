/// What codes of PostgreSQL mean to whoever runs Pippin (PostgreSQL documentation, appendix A).
enum SQLState {
    private static let meanings: KeyValuePairs = [
        "28P01": "the database refuses the password",
        "28000": "the database refuses the user, or the machine it comes from",
        "3D000": "there is no database of this name", "53300": "the database server has no connection left",
        "53100": "the disk of the database server is full", "57P03": "the database server takes no connections yet",
        "42501": "the role at the database lacks a right", "55P03": "another session holds the table or row",
        "08006": "the connection to the database was lost", "58P01": "the database server misses a file of its own",
    ]

    /// Puts the meaning of a code before a text that has the code before a colon or in parentheses, as PostgreSQL and
    /// `AdminFailure` write it; all others are PostgreSQL's own sentences.
    static func explained(_ text: String) -> String {
        let known = meanings.first { state, _ in text.contains("\(state): ") || text.contains("SQLSTATE \(state))") }
        return known.map { "\($0.value): \(text)" } ?? text
    }
}
