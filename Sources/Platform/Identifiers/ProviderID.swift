public import Postgres

/// External identity providers that users sign in at: a closed set.
public enum ProviderID: String, SQLText, CaseIterable, Sendable { case apple }
