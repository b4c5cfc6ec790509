/// What a release asks of the schema, by the numbers of migrations.
public struct SchemaRequirement: Equatable, Sendable {
    /// The release's last migration, and the last one without which it cannot serve.
    public let last, needed: Int

    public init(last: Int, needed: Int) { (self.last, self.needed) = (last, needed) }

    /// Whether the release can serve: an older schema lacks what it needs, a newer one has what it does not run with.
    public enum Fit: Sendable { case compatible, older, newer }

    /// Judges a schema by its last migration and the greatest `runs-with` of all that were applied.
    ///
    /// A migration's `runs-with` is not greater than its own number, so the greatest one exceeds `last` only if a
    /// migration does that the release does not know.
    public func fit(migration: Int, runsWith: Int) -> Fit {
        runsWith > last ? .newer : migration < needed ? .older : .compatible
    }
}
