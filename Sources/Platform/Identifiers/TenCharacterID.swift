/// Common format of the ids of teams, keys and invitations.
public enum TenCharacterID {
    public static let length = 10
    public static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy { character in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            }
    }
}
