extension UInt8 {
    /// Space, tab, line feed, form feed, carriage return: ASCII whitespace of the HTML Standard.
    var isSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D
    }

    var isLetter: Bool {
        (0x61...0x7A).contains(self | 0x20)
    }

    var isDigit: Bool {
        (0x30...0x39).contains(self)
    }

    /// The letter in lower case, anything else unchanged.
    var lowercased: UInt8 {
        (0x41...0x5A).contains(self) ? self | 0x20 : self
    }
}
