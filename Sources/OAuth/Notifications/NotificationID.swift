public import Platform

/// ID of a notification, and its `jti`.
///
/// It is the same each time the notification is sent, so that an app acts on it once.
public typealias NotificationID = RandomID<NotificationSummary>
