public import Postgres

/// The places outside where people prove who they are: a closed set.
public enum ProviderID: String, SQLText, CaseIterable, Sendable {
    case apple
}
