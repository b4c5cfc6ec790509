/// First letter of a name in upper case, for avatars.
public enum Initial { public static func of(_ name: String) -> String { name.first.map { $0.uppercased() } ?? "?" } }
