import Bytes
import Localization
import Web

extension Retyped {
    /// Error beside the field, or nil if the input matches.
    var problem: Message? {
        switch difference {
        case nil: nil
        case .character(let position, let typed, let right):
            Message(
                "console.confirm.type.differs",
                ["expected": expected, "position": position, "typed": Self.name(typed), "right": Self.name(right)])
        case .missing(expected): Message("console.confirm.type.wrong", ["expected": expected])
        case .missing(let rest): Message("console.confirm.type.short", ["expected": expected, "rest": rest])
        case .surplus(let rest): Message("console.confirm.type.long", ["expected": expected, "rest": rest])
        }
    }

    /// Name of a character with its kind, because 0 and O look alike.
    private static func name(_ character: Unicode.Scalar) -> Message {
        let text = String(character)
        return switch character {
        case "0"..."9": Message("console.confirm.digit", ["character": text])
        case "a"..."z", "A"..."Z": Message("console.confirm.letter", ["character": text])
        default: Message("console.confirm.other", ["character": text])
        }
    }
}
