public import Domain

/// The id of a notice, and its `jti`.
///
/// It stays the same however often the notice is sent, so that an app acts on it once.
public typealias NoticeID = RandomID<NoticeSummary>
