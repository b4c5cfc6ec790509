public import Crypto
public import Postgres

/// The id of a worker: random, because processes and machines may share any other name.
public struct WorkerID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) { self.rawValue = rawValue }

    public init(random: RandomSource) { rawValue = random.text(13, from: .readable) }

    public var description: String { rawValue }
}
