/// Why a value cannot stand where it stands.
struct Refusal: Error {
    let found: String
    let expected: String
}
