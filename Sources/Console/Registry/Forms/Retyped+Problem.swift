import Bytes
import Web

extension Retyped {
    /// What is wrong with it, to be said beside its field.
    var problem: Phrase? {
        switch difference {
        case nil: nil
        case .character(let position, let typed, let right):
            Phrase(
                "console.confirm.type.differs",
                [
                    "expected": expected, "position": position, "typed": Self.name(typed),
                    "right": Self.name(right),
                ]
            )
        case .missing(expected): Phrase("console.confirm.type.wrong", ["expected": expected])
        case .missing(let rest):
            Phrase("console.confirm.type.short", ["expected": expected, "rest": rest])
        case .surplus(let rest):
            Phrase("console.confirm.type.long", ["expected": expected, "rest": rest])
        }
    }

    /// 0 and O look alike, so it says which of them is meant.
    private static func name(_ character: Unicode.Scalar) -> Phrase {
        let text = String(character)
        return switch character {
        case "0"..."9": Phrase("console.confirm.digit", ["character": text])
        case "a"..."z", "A"..."Z": Phrase("console.confirm.letter", ["character": text])
        default: Phrase("console.confirm.other", ["character": text])
        }
    }
}
