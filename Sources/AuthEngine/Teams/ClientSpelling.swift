import Domain

extension TeamSnapshot {
    /// The client whose identifier is most like that text, when one is close enough to have been meant: the same but
    /// for case, or no more than two letters apart.
    ///
    /// Strangers ask for it, on a loop that serves other teams: in a team of very many clients whose names are long and
    /// alike it is looked for among some of them.
    func nearestClient(to text: String) -> ClientID? {
        guard text.utf8.count <= ClientID.maximumLength else { return nil }
        let sent = Spelling(text)
        var work = Spelling.mostWork
        var nearest: (distance: Int, id: ClientID)?
        for id in Array(services.keys) + Array(apps.keys) {
            guard work > 0 else { break }
            let distance = sent.distance(to: id.rawValue, &work)
            guard distance <= Spelling.nearby else { continue }
            if let known = nearest, (known.distance, known.id.rawValue) <= (distance, id.rawValue) {
                continue
            }
            nearest = (distance, id)
        }
        return nearest?.id
    }
}

/// How a name is spelt, letter by letter, whatever the case.
struct Spelling {
    /// How far apart two names may be of which one was meant for the other.
    static let nearby = 2
    /// How many letters are looked at in one search: those of two hundred clients with the longest names.
    static let mostWork = 200 * ClientID.maximumLength

    private let letters: [UInt8]

    init(_ text: String) {
        letters = text.utf8.map(Self.letter)
    }

    /// How many letters have to be put in, left out or changed; 3 stands for more than two.
    ///
    /// - Parameter work: is lowered by the letters that were looked at; it gives up once they are too far apart.
    func distance(to text: String, _ work: inout Int) -> Int {
        let other = text.utf8
        guard (letters.count - other.count).magnitude <= Self.nearby else { return Self.nearby + 1 }
        return distance(to: other.map(Self.letter), &work)
    }

    /// The table of the algorithm of Wagner and Fischer, of which only the five columns around the diagonal can stay
    /// within two.
    private func distance(to other: [UInt8], _ work: inout Int) -> Int {
        let far = Self.nearby + 1
        // The column `index + offset - 2` of the row `index`.
        var row: InlineArray<5, Int> = [far, far, 0, 1, 2]
        for (index, letter) in letters.enumerated() {
            work -= 1
            var next = InlineArray<5, Int>(repeating: far)
            var best = far
            for offset in 0..<5 {
                let column = index + 1 + offset - 2
                guard column >= 0, column <= other.count else { continue }
                var cost = far
                if column > 0 { cost = min(cost, row[offset] + (letter == other[column - 1] ? 0 : 1)) }
                if offset < 4 { cost = min(cost, row[offset + 1] + 1) }
                if offset > 0 { cost = min(cost, next[offset - 1] + 1) }
                next[offset] = cost
                best = min(best, cost)
            }
            guard best < far else { return far }
            row = next
        }
        return row[other.count - letters.count + 2]
    }

    /// The letter of ASCII in lower case; every other octet as it is.
    private static func letter(_ octet: UInt8) -> UInt8 {
        octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet
    }
}
