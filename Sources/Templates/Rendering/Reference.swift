/// A field as a program finds it.
struct Reference: Sendable {
    /// How many blocks with names of their own lie around the scope that has it.
    let level: Int
    /// Which of the program's ways leads through groups from there; 0 is none.
    let way: Int
    /// Which of the program's readers reads it.
    let reader: Int
}
