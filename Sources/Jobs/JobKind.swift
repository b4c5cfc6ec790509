import Bytes

/// What a job carries, and so what kind of job it is.
///
/// The payload is stored as JSON and read by whichever version of Pippin runs the job: members that come later are
/// optional. It holds ids, addresses and words; of secrets only those that the job itself must deliver.
public protocol JobKind: Codable, Sendable {
    /// The kind's name for ever, such as `mail.message`.
    static var kind: String { get }

    /// How often and how fast it is tried, and what is kept of it.
    static var policy: JobPolicy { get }
}

extension JobKind {
    public static var policy: JobPolicy { JobPolicy() }

    /// The payload as it is stored.
    var json: String { String(decoding: JSON.encode(self), as: UTF8.self) }
}
