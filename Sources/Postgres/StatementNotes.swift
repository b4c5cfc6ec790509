#if DEBUG
    import Glibc
    import Synchronization

    /// Each distinct statement that a process of the tests prepares, in the file of `PIPPIN_NOTE_STATEMENTS` (scripts/statements).
    enum StatementNotes {
        private static let seen = Mutex<Set<String>>([])
        private static let file = unsafe getenv("PIPPIN_NOTE_STATEMENTS").map {
            unsafe open($0, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        }

        static func note(_ statement: SQL, as role: String?) {
            guard let file, let role else { return }
            let types = statement.parameters.types.map { " \($0)" }.joined()
            let text = "-- \(role)\(types)\n\(statement.text)\n;\n"
            guard seen.withLock({ $0.insert(text).inserted }) else { return }
            _ = unsafe write(file, text, text.utf8.count)
        }
    }
#endif
