/// What a release asks of the schema, by the numbers of migrations.
public struct SchemaRequirement: Equatable, Sendable {
    /// The release's last migration.
    public let last: Int
    /// The last one without which the release cannot serve.
    public let needed: Int

    public init(last: Int, needed: Int) { (self.last, self.needed) = (last, needed) }

    /// Whether a release can serve on a schema.
    public enum Fit: Equatable, Sendable {
        case compatible
        /// A migration is missing without which the release cannot serve.
        case older
        /// A newer release has applied a migration after which this one cannot serve.
        case newer
    }

    /// Judges a schema by its last migration and the greatest `runs-with` of all that were applied.
    ///
    /// A migration's `runs-with` is not greater than its own number, so the greatest one exceeds `last` only if a
    /// migration does that the release does not know.
    public func fit(migration: Int, runsWith: Int) -> Fit {
        runsWith > last ? .newer : migration < needed ? .older : .compatible
    }
}
