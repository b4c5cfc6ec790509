import Core

/// Order of an event that a provider reports and of a record that this server made of the same user, such as a sign-in.
///
/// Two clocks differ, and Apple gives times in whole seconds. So which of the two came first can be told only if they
/// lie further apart than that; otherwise the provider, asked about the user's token, decides.
enum EventOrder: Equatable, Sendable {
    /// The record is older: the event ended it.
    case older
    /// The record is newer: it stands.
    case newer
    /// The times are too close to tell.
    case unclear

    /// Maximum difference between the clocks of two servers.
    static let skew = Duration.seconds(5)
    /// Length of the second in which an event happened whose time is a whole one.
    private static let resolution = Duration.seconds(1)

    /// Order of a record made at `recorded` and an event reported for `moment`.
    init(of recorded: Timestamp, toEventAt moment: Timestamp) {
        self =
            recorded <= Self.lastOlder(thanEventAt: moment)
            ? .older : recorded > Self.lastUnclear(toEventAt: moment) ? .newer : .unclear
    }

    /// Time until which records are older than an event.
    static func lastOlder(thanEventAt moment: Timestamp) -> Timestamp { moment - skew }

    /// Time after which records are newer than an event.
    static func lastUnclear(toEventAt moment: Timestamp) -> Timestamp { moment + resolution + skew }
}
