/// `{{> "name" with group}}`.
struct Partial: Sendable {
    let name: String
    let group: Path?
    let offset: Int
}
