// Notifications: what a team's apps are told about their users, through a durable outbox.
//
// Owns: notifications until their retention ends, their delivery, the schedule of calls to unverified servers.
// Must not know: what causes a notification; how tokens are signed.
// Standards: Apple's server-to-server notifications (TN3194 and "Processing changes for Sign in with Apple accounts").
