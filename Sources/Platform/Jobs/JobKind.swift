import Core

/// A kind of job, which is the type of its payload.
///
/// The payload is stored as JSON and read by the version of Pippin that runs the job, so members added later are
/// optional. It contains ids, addresses and texts, and of secrets only those that the job itself must deliver.
public protocol JobKind: Codable, Sendable {
    /// The permanent name of the kind, such as `mail.message`.
    static var kind: String { get }

    /// Attempts, delays and retention of jobs of this kind.
    static var policy: JobPolicy { get }
}

extension JobKind {
    public static var policy: JobPolicy { JobPolicy() }

    /// The payload as stored.
    var json: String { String(decoding: JSON.encode(self), as: UTF8.self) }
}

/// The id of a job and of its receipt.
///
/// It cannot be guessed, because a client that knows it may read the state of the job.
public typealias JobID = RandomID<JobSummary>
